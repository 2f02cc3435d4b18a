import Crypto
import FoundationEssentials

/// The stored hash of a PIN: Argon2id of a code of the PIN under a key that is not in the database.
///
/// There are so few PINs that a stolen database with hashes of the PINs themselves could be searched for all of them. The
/// code also contains the person, so a hash is of no use in the row of somebody else.
///
/// The text is ``prefix`` and a ``PasswordHash``. Earlier versions hashed the PIN itself and stored only the latter; such a
/// hash is replaced when the person next types the PIN.
///
/// Source: NIST SP 800-63B §5.1.1.2, the keyed hash with a key that is stored separately.
struct PINHash: RawRepresentable, Sendable, Equatable {
    /// The text, as it is stored.
    let rawValue: String

    private static let prefix = "hmac-sha256:"
    private static let purpose = Array("latchstring PIN 1".utf8)

    /// Creates a value from stored text.
    init(rawValue: String) { self.rawValue = rawValue }

    /// Creates the hash of a code.
    init(ofCode hash: PasswordHash) { rawValue = Self.prefix + hash.rawValue }

    /// Whether the hash is that of a code, and not of the PIN itself.
    var isKeyed: Bool { rawValue.hasPrefix(Self.prefix) }

    /// The hash of the code, or of the PIN itself if ``isKeyed`` is false.
    var password: PasswordHash {
        PasswordHash(rawValue: isKeyed ? String(rawValue.dropFirst(Self.prefix.count)) : rawValue)
    }

    /// Returns the code of a PIN, which is hashed instead of it.
    ///
    /// - Parameters:
    ///   - pin: The PIN.
    ///   - person: The person whose PIN it is.
    ///   - key: A key that is not in the database.
    /// - Returns: 43 characters of base64url.
    static func code(of pin: PIN, of person: UUID, key: Secret) -> Secret {
        let text = purpose + Array(person.uuidString.lowercased().utf8) + pin.secret.withBytes { Array($0) }
        return Secret(Base64URL.encode(HMACSHA256.code(of: text, key: key).bytes))
    }
}
