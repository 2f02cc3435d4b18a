import Crypto
import FoundationEssentials
import HTTPMessages
import JOSE

/// The signing keys at one point in time.
struct SigningKeys: Sendable {
    /// A key, with its private half if that can be decrypted.
    struct Key: Sendable {
        let stored: StoredSigningKey
        let publicKey: JSONValue
        let signing: SigningKey?
    }

    /// The keys, in the order in which they start to sign.
    let all: [Key]

    /// Creates an empty list of keys.
    init() { all = [] }

    /// Decrypts the private halves. A key that was sealed with another secret is published but does not sign.
    init(_ stored: [StoredSigningKey], sealedWith key: Secret) {
        all = stored.compactMap { row in
            guard let json = try? JSONValue(parsing: row.publicKey), let members = json.members else { return nil }
            // A private member, such as `d`, must never be published, whatever the database contains.
            let shown = members.filter { Self.publicMembers.contains($0.name) }
            return Key(stored: row, publicKey: .object(shown), signing: SealedSigningKey.open(row, key))
        }
    }

    /// The members of a public key that are published. Other members in the database are ignored.
    ///
    /// Source: RFC 7517 §4; RFC 7518 §6; RFC 8037 §2.
    private static let publicMembers: Set = ["kty", "use", "alg", "kid", "crv", "x", "y", "n", "e"]

    /// Returns the key to sign with: the last one that has started to sign and whose private half can be decrypted. If
    /// none has started, because the clock of the gateway that created it is ahead, the first one.
    func signer(at now: Date) -> Key? {
        let able = all.filter { $0.signing != nil }
        return able.last { $0.stored.signsFrom <= now } ?? able.first
    }

    /// The last key whose private half can be decrypted, even if it does not sign yet.
    var newest: Key? { all.last { $0.signing != nil } }

    /// When the newest key was created.
    var lastCreated: Date { all.map(\.stored.created).max() ?? Date(timeIntervalSince1970: 0) }

    /// Returns the keys that other servers verify signatures with: those that sign, will sign, or have signed tokens
    /// that are still valid.
    func published(at now: Date) -> JSONValue {
        let began = all.last { $0.stored.signsFrom <= now }?.stored.signsFrom ?? now
        // The last key that began may be sealed with another secret, so the key that signs here is added explicitly.
        let shown = all.filter { $0.stored.signsFrom >= began || $0.stored.neededUntil > now || isSigner($0, now) }
        return ["keys": .array(shown.map(\.publicKey))]
    }

    private func isSigner(_ key: Key, _ now: Date) -> Bool { signer(at: now)?.stored.id == key.stored.id }
}

/// The encryption of the private half of a signing key for the database.
///
/// The encrypted data is bound to the id of the key. So an attacker who can write to the database cannot give a key the
/// private half of another key.
enum SealedSigningKey {
    private static let context = Array("latchstring signing key 1".utf8)

    static func seal(_ signing: SigningKey, named id: String, _ key: Secret) throws -> [UInt8] {
        try signing.privatePEM().withBytes { try Sealing.seal($0, key: key, context: context + id.utf8) }
    }

    static func open(_ row: StoredSigningKey, _ key: Secret) -> SigningKey? {
        guard let algorithm = SignatureAlgorithm(rawValue: row.algorithm),
            var pem = try? Sealing.open(row.box, key: key, context: context + row.id.utf8)
        else { return nil }
        defer { wipe(&pem) }
        return try? SigningKey(pem: Secret(bytes: pem), keyID: row.id, algorithm: algorithm)
    }
}
