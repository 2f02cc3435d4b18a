import CSodium

/// A password hash for storage: the output of Argon2id with its salt and parameters in one line of text.
///
/// The text is `$argon2id$v=19$m=65536,t=2,p=1$salt$hash`, with salt and hash in unpadded base 64. The text is not
/// trusted: a malformed one verifies no password.
///
/// Creating and verifying use as much time and memory as the parameters specify. Do not call them on the shared thread
/// pool.
///
/// Source: RFC 9106; github.com/P-H-C/phc-string-format; `crypto_pwhash_argon2id_str`.
package struct PasswordHash: RawRepresentable, Sendable, Equatable {
    /// The maximum length of a password in bytes, so that clients cannot make the gateway hash megabytes.
    package static let maximumPasswordCount = 4096

    /// The text.
    package let rawValue: String

    /// Creates a value from stored text, without validation; see ``isWellFormed``.
    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Hashes `password` with a new random salt.
    ///
    /// - Parameters:
    ///   - password: 0 to ``maximumPasswordCount`` bytes.
    ///   - parameters: The memory and passes to use.
    /// - Returns: A hash that ``verify(_:)`` accepts for this password only.
    /// - Throws: ``CryptoError`` with code ``CryptoError/Code/tooLong`` or ``CryptoError/Code/outOfMemory``.
    ///
    /// Source: `crypto_pwhash_argon2id_str`.
    package static func make(
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

    /// Returns, without computing a hash, a value that matches no password. Verifying it does the same work as for a
    /// hash from ``make(_:parameters:)``.
    ///
    /// The salt and hash are random and have the same lengths as in that function, so no matching password can be
    /// found.
    ///
    /// Source: github.com/P-H-C/phc-string-format; `crypto_pwhash_argon2id_str`.
    package static func unmatchable(parameters: Argon2idParameters = .default) -> PasswordHash {
        let salt = base64(SecureRandom.bytes(Argon2id.saltCount))
        let hash = base64(SecureRandom.bytes(32))
        return PasswordHash(
            rawValue: "$argon2id$v=19$m=\(parameters.memoryKiB),t=\(parameters.iterations),p=1$\(salt)$\(hash)")
    }

    /// Encodes bytes in the alphabet of PHC strings: that of RFC 4648 §4, without padding.
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

    /// Returns whether this is the hash of `password`. False for a different password, a password that is too long, and
    /// a text that is malformed or requires more than ``Argon2idParameters/isWithinLimits`` allows.
    ///
    /// Source: `crypto_pwhash_argon2id_str_verify`.
    package func verify(_ password: Secret) -> Bool {
        guard isWellFormed, (try? Self.check(password)) != nil else { return false }
        return password.withUnsafeBytes {
            crypto_pwhash_argon2id_str_verify(
                rawValue, $0.assumingMemoryBound(to: CChar.self).baseAddress!, UInt64($0.count)) == 0
        }
    }

    /// Returns whether the hash has different parameters or is malformed. If so, replace it at the next sign-in.
    package func needsRehash(for parameters: Argon2idParameters) -> Bool {
        guard let fields = PHCFields(rawValue) else { return true }
        return fields.memoryKiB != parameters.memoryKiB || fields.iterations != parameters.iterations
            || fields.lanes != 1
    }

    /// The parameters of the hash. Nil for a text that is not an Argon2id hash.
    package var parameters: Argon2idParameters? {
        PHCFields(rawValue).flatMap { try? Argon2idParameters(memoryKiB: $0.memoryKiB, iterations: $0.iterations) }
    }

    /// Whether the text has the form of an Argon2id hash.
    package var isWellFormed: Bool { PHCFields(rawValue) != nil }

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
            .outOfMemory, "Could not hash a password: \(parameters.memoryKiB) KiB of memory were not available.")
    }
}

extension PasswordHash: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A placeholder instead of the hash, which would allow offline guessing.
    package var description: String { "‹password hash›" }
    /// A placeholder instead of the hash, which would allow offline guessing.
    package var debugDescription: String { description }
    /// An empty mirror.
    package var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}
