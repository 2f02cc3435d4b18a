import Crypto
import Database
import FoundationEssentials

/// An access token, before it is stored.
struct AccessToken: Sendable {
    /// The token's text.
    let text: Secret
    /// The number of the refresh token that came with it.
    let generation: Int
    /// When it expires.
    let expires: Date
    /// The key that it is bound to. Nil for a bearer token.
    let keyThumbprint: String?

    /// Creates a token that is signed by `sign`, or opaque where that returns nil.
    init(
        generation: Int, expires: Date, keyThumbprint: String?, signedBy sign: (Date) throws -> Secret?
    ) throws {
        let text = try sign(expires) ?? Secret(Base64URL.encode(SecureRandom.bytes(32)))
        self.init(text: text, generation: generation, expires: expires, keyThumbprint: keyThumbprint)
    }

    init(text: Secret, generation: Int, expires: Date, keyThumbprint: String?) {
        self.text = text
        self.generation = generation
        self.expires = expires
        self.keyThumbprint = keyThumbprint
    }

    /// Whether a text can be an access token: an opaque or a signed one.
    static func isPossible(_ text: String) -> Bool {
        text.utf8.count == 43 || (100...8_192).contains(text.utf8.count) && text.utf8.contains(UInt8(ascii: "."))
    }

    func insert(of session: SessionID, _ connection: Connection) throws(DatabaseError) {
        try connection.run(
            ClientSessionStatements.insertAccess, SHA256.digest(text).bytes, session.rawValue, generation, expires,
            keyThumbprint)
    }
}

/// The tokens of a response to a refresh, which is kept until they are first used.
///
/// The sealed bytes are the expiry in milliseconds (8), the refresh token (86), the thumbprint of the key that the access
/// token is bound to (43, or zeros for none), and the access token.
struct SealedAnswer: Sendable {
    let access: AccessToken
    let refreshToken: Secret

    init(access: AccessToken, refreshToken: Secret) {
        self.access = access
        self.refreshToken = refreshToken
    }

    /// Seals the response with the refresh token that it was made for.
    func sealed(with token: RefreshToken) throws(CryptoError) -> [UInt8] {
        let milliseconds = UInt64(max(0, access.expires.timeIntervalSince1970 * 1_000))
        let number = (0..<8).map { UInt8(truncatingIfNeeded: milliseconds >> (56 - 8 * $0)) }
        let thumbprint = access.keyThumbprint.map { Array($0.utf8) } ?? Array(repeating: 0, count: Self.thumbprintCount)
        let plain =
            number + refreshToken.withBytes { Array($0) } + thumbprint + access.text.withBytes { Array($0) }
        return try Sealing.seal(plain, key: token.answerKey, context: Self.context(token))
    }

    /// Opens a response. Nil when it was not made for this token.
    init?(opening box: [UInt8], with token: RefreshToken) {
        guard let plain = try? Sealing.open(box, key: token.answerKey, context: Self.context(token)),
            plain.count > Self.accessStart
        else { return nil }
        let milliseconds = plain.prefix(8).reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        let thumbprint = plain[Self.thumbprintStart..<Self.accessStart]
        access = AccessToken(
            text: Secret(bytes: Array(plain[Self.accessStart...])), generation: token.generation + 1,
            expires: Date(timeIntervalSince1970: Double(milliseconds) / 1_000),
            keyThumbprint: thumbprint.first == 0 ? nil : String(decoding: thumbprint, as: UTF8.self))
        refreshToken = Secret(bytes: Array(plain[8..<Self.thumbprintStart]))
    }

    private static let thumbprintCount = 43
    private static let thumbprintStart = 8 + RefreshToken.textCount
    private static let accessStart = thumbprintStart + thumbprintCount

    private static func context(_ token: RefreshToken) -> [UInt8] { Array(token.session.rawValue.utf8) }
}

/// The key that the tokens of a request are bound to.
///
/// Source: RFC 9449 §5: the refresh tokens of a public client are bound too. Those of a confidential client are bound to
/// its secret.
package struct TokenBinding: Sendable, Equatable {
    /// The SHA-256 of the public key in base64url.
    package let thumbprint: String
    /// Whether refresh tokens are bound too.
    package let includesRefreshTokens: Bool

    /// Creates a binding.
    package init(thumbprint: String, includesRefreshTokens: Bool) {
        self.thumbprint = thumbprint
        self.includesRefreshTokens = includesRefreshTokens
    }

    /// Binds the refresh tokens of a session, if they are bound at all.
    func bindRefreshTokens(of session: SessionID, _ connection: Connection) throws(DatabaseError) {
        guard includesRefreshTokens else { return }
        try connection.run(SessionStatements.bind, thumbprint, session.rawValue)
    }
}
