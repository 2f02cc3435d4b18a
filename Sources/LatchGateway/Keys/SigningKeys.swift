import Crypto
import FoundationEssentials
import JOSE
import Wire

/// The signing keys as they are known at one time.
struct SigningKeys: Sendable {
    /// One of them, with its private half where that can be opened.
    struct Key: Sendable {
        let stored: StoredSigningKey
        let publicKey: JSONValue
        let signing: SigningKey?
    }

    /// From the first that signed to the last that will.
    let all: [Key]

    /// None yet.
    init() { all = [] }

    /// Opens the private halves; one that was sealed with another key only stays shown.
    init(_ stored: [StoredSigningKey], sealedWith key: Secret) {
        all = stored.compactMap { row in
            guard let json = try? JSONValue(parsing: row.publicKey), let members = json.members else { return nil }
            let shown = members.filter { Self.publicMembers.contains($0.name) }
            return Key(stored: row, publicKey: .object(shown), signing: SealedSigningKey.open(row, key))
        }
    }

    /// What is shown of a key, whatever stands beside it in the database.
    ///
    /// Source: RFC 7517 §4; RFC 7518 §6; RFC 8037 §2.
    private static let publicMembers: Set = ["kty", "use", "alg", "kid", "crv", "x", "y", "n", "e"]

    /// The key to sign with: the last that has begun and can be used here.
    func signer(at now: Date) -> Key? {
        all.last { $0.signing != nil && $0.stored.signsFrom <= now }
    }

    /// The last that can be used here, whether it signs already or not.
    var newest: Key? { all.last { $0.signing != nil } }

    /// When the last key of all was made.
    var lastMade: Date { all.map(\.stored.created).max() ?? Date(timeIntervalSince1970: 0) }

    /// What others check signatures with: the keys that sign, will sign, or have signed tokens that are not over.
    func published(at now: Date) -> JSONValue {
        let began = all.last { $0.stored.signsFrom <= now }?.stored.signsFrom ?? now
        let shown = all.filter { $0.stored.signsFrom >= began || $0.stored.neededUntil > now || isSigner($0, now) }
        return ["keys": .array(shown.map(\.publicKey))]
    }

    private func isSigner(_ key: Key, _ now: Date) -> Bool { signer(at: now)?.stored.id == key.stored.id }
}

/// The private half of a signing key as the database may have it.
///
/// The box is bound to the key's name: who can write into the database can give no key the private half of another.
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
