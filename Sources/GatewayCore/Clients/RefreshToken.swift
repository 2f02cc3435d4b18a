import Crypto

/// The parts of a client's refresh token.
///
/// The token names its session and its generation, so that an old one is recognized without storing it. Its
/// authentication code proves that this server issued it. Whether it is valid depends on its hash, which is stored: who
/// only has the gateway's key cannot make one that is accepted.
///
/// Source: RFC 9700 §4.14.2, which asks that the reuse of an old refresh token is noticed.
struct RefreshToken: Sendable {
    /// The session that the token belongs to.
    let session: SessionID
    /// The number of the token in its session, from 1.
    let generation: Int
    /// Whether the token was bound to a key when it was issued.
    let isBound: Bool
    /// The token's text: 86 characters of base64url.
    let text: Secret

    private static let boundBit = UInt32(1) << 31
    private static let sessionCount = 12
    private static let randomCount = 32
    private static let codeCount = 16
    private static let count = sessionCount + 4 + randomCount + codeCount
    /// The length of a token's text.
    static let textCount = 86

    /// Makes a new token.
    init(session: SessionID, generation: Int, isBound: Bool = false, key: Secret) {
        self.session = session
        self.generation = generation
        self.isBound = isBound
        // The highest bit says whether the token is bound.
        let number = UInt32(truncatingIfNeeded: generation) & ~Self.boundBit | (isBound ? Self.boundBit : 0)
        let head =
            Array(session.rawValue.utf8) + (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
            + SecureRandom.bytes(Self.randomCount)
        text = Secret(Base64URL.encode(head + Self.code(of: head, key)))
    }

    /// Reads a token. Nil for text that this server did not issue.
    init?(_ text: String, key: Secret) {
        guard text.utf8.count == Self.textCount, let bytes = Base64URL.decode(text), bytes.count == Self.count else {
            return nil
        }
        let head = Array(bytes.dropLast(Self.codeCount))
        guard constantTimeEqual(Array(bytes.suffix(Self.codeCount)), Self.code(of: head, key)) else { return nil }
        session = SessionID(rawValue: String(decoding: head.prefix(Self.sessionCount), as: UTF8.self))
        let number = head.dropFirst(Self.sessionCount).prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        isBound = number & Self.boundBit != 0
        generation = Int(number & ~Self.boundBit)
        self.text = Secret(text)
    }

    /// The hash under which the token is stored.
    var hash: [UInt8] { SHA256.digest(text).bytes }

    /// The key that seals the response to a refresh with this token. Only who has the token can open it.
    var answerKey: Secret {
        text.withBytes { Secret(bytes: HMACSHA256.code(of: Self.answerPurpose, key: Secret(bytes: Array($0))).bytes) }
    }

    private static let answerPurpose = Array("latchstring refresh answer 1".utf8)

    private static func code(of head: [UInt8], _ key: Secret) -> [UInt8] {
        Array(HMACSHA256.code(of: Array("latchstring refresh token 1".utf8) + head, key: key).bytes.prefix(codeCount))
    }
}
