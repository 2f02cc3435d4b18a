import CSodium

/// A password as it may be stored: Argon2id's output with its salt and parameters in one line of text.
///
/// The text is `$argon2id$v=19$m=65536,t=2,p=1$salt$hash`, salt and hash in unpadded base 64. A value may come from
/// anywhere, so the text is not trusted: one that is no such line verifies nothing.
///
/// Making and verifying take as long and as much memory as the parameters say: keep them off the shared thread pool.
///
/// Source: RFC 9106; the PHC string format; `crypto_pwhash_argon2id_str`.
public struct PasswordHash: RawRepresentable, Sendable, Equatable {
    /// The most bytes a password may have, so that nobody can make the gateway hash megabytes.
    public static let maximumPasswordCount = 4096

    /// The line of text.
    public let rawValue: String

    /// Takes a stored line of text as it is; see ``isWellFormed``.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Hashes `password` with a new random salt.
    ///
    /// - Parameters:
    ///   - password: 0 to ``maximumPasswordCount`` bytes.
    ///   - parameters: The work to do.
    /// - Returns: A hash that ``verify(_:)`` accepts for this password only.
    /// - Throws: ``CryptoError`` with code ``CryptoError/Code/tooLong`` or ``CryptoError/Code/outOfMemory``.
    ///
    /// Source: `crypto_pwhash_argon2id_str`.
    public static func make(
        _ password: Secret, parameters: Argon2idParameters = .default
    ) throws(CryptoError) -> PasswordHash {
        try check(password)
        var text = [CChar](repeating: 0, count: Int(crypto_pwhash_argon2id_STRBYTES))
        let status = password.withUnsafeBytes {
            crypto_pwhash_argon2id_str(
                &text, $0.assumingMemoryBound(to: CChar.self).baseAddress!, UInt64($0.count),
                UInt64(parameters.iterations), parameters.memoryKiB * 1024)
        }
        guard status == 0 else { throw outOfMemory(parameters) }
        let line = text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))
        return PasswordHash(rawValue: String(decoding: line, as: UTF8.self))
    }

    /// A hash of no password, at once: it refuses every one, after the same work as a hash of ``make(_:parameters:)``.
    ///
    /// Salt and hash are random, as many bytes as that makes; a password that fits cannot be found.
    ///
    /// Source: the PHC string format; `crypto_pwhash_argon2id_str`.
    public static func ofNoPassword(parameters: Argon2idParameters = .default) -> PasswordHash {
        let salt = base64(SecureRandom.bytes(Argon2id.saltCount))
        let hash = base64(SecureRandom.bytes(32))
        return PasswordHash(
            rawValue: "$argon2id$v=19$m=\(parameters.memoryKiB),t=\(parameters.iterations),p=1$\(salt)$\(hash)")
    }

    /// The alphabet of PHC strings is that of RFC 4648 §4, without padding.
    private static func base64(_ bytes: [UInt8]) -> String {
        let letters = Base64URL.encode(bytes).utf8.map { byte in
            switch byte {
            case UInt8(ascii: "-"): UInt8(ascii: "+")
            case UInt8(ascii: "_"): UInt8(ascii: "/")
            default: byte
            }
        }
        return String(decoding: letters, as: UTF8.self)
    }

    /// Whether this is the hash of `password`: false for another password, one that is too long, or a text that is not
    /// well-formed or asks for more than ``Argon2idParameters/isBearable`` allows.
    ///
    /// Source: `crypto_pwhash_argon2id_str_verify`.
    public func verify(_ password: Secret) -> Bool {
        guard isWellFormed, (try? Self.check(password)) != nil else { return false }
        return password.withUnsafeBytes {
            crypto_pwhash_argon2id_str_verify(
                rawValue, $0.assumingMemoryBound(to: CChar.self).baseAddress!, UInt64($0.count)) == 0
        }
    }

    /// Whether the hash was made with other parameters, or cannot be read: then make it anew at the next sign-in.
    public func needsRehash(for parameters: Argon2idParameters) -> Bool {
        guard let fields = PHCFields(rawValue) else { return true }
        return fields.memoryKiB != parameters.memoryKiB || fields.iterations != parameters.iterations
            || fields.lanes != 1
    }

    /// What the hash was made with; nil for a text that is no Argon2id hash.
    public var parameters: Argon2idParameters? {
        PHCFields(rawValue).flatMap { try? Argon2idParameters(memoryKiB: $0.memoryKiB, iterations: $0.iterations) }
    }

    /// Whether the text has the form of an Argon2id hash.
    public var isWellFormed: Bool { PHCFields(rawValue) != nil }

    static func check(_ password: Secret) throws(CryptoError) {
        Sodium.prepare()
        guard password.count <= maximumPasswordCount else {
            throw CryptoError(
                .tooLong,
                "Could not hash a password of \(password.count) bytes: use \(maximumPasswordCount) bytes or fewer.")
        }
    }

    static func outOfMemory(_ parameters: Argon2idParameters) -> CryptoError {
        CryptoError(
            .outOfMemory, "Could not hash a password: \(parameters.memoryKiB) KiB of memory were not to be had.")
    }
}

extension PasswordHash: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Never the hash: who has it can guess.
    public var description: String { "‹password hash›" }
    /// Never the hash: who has it can guess.
    public var debugDescription: String { description }
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}
