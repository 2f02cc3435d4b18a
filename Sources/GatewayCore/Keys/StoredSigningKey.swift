import Database
import FoundationEssentials
import HTTPMessages

/// A signing key as stored in the database.
package struct StoredSigningKey: Sendable {
    let id: String
    let algorithm: String
    /// The public half as a JSON Web Key.
    let publicKey: [UInt8]
    /// The private half, sealed with the gateway's key.
    let box: [UInt8]
    let created: Date
    /// When the key starts to sign.
    let signsFrom: Date
    /// When the last token that the key signed expires. A gateway writes a later time here before it signs a token that
    /// is valid for longer.
    let neededUntil: Date

    init(
        id: String, algorithm: String, publicKey: [UInt8], box: [UInt8], created: Date, signsFrom: Date,
        neededUntil: Date
    ) {
        self.id = id
        self.algorithm = algorithm
        self.publicKey = publicKey
        self.box = box
        self.created = created
        self.signsFrom = signsFrom
        self.neededUntil = neededUntil
    }

    @Sendable
    init(_ row: SQLRow) throws(DatabaseError) {
        id = try row.get(0)
        algorithm = try row.get(1)
        publicKey = Array((try row.get(2) as String).utf8)
        box = try row.get(3)
        created = try row.get(4)
        signsFrom = try row.get(5)
        neededUntil = try row.get(6)
    }
}

/// SQL statements for signing keys.
enum SigningKeyStatements {
    static let all = Statement(
        """
        SELECT id, algorithm, public_key, sealed_key, created_at, signs_from, needed_until FROM signing_keys
        ORDER BY signs_from, created_at, id
        """, row: StoredSigningKey.init)

    /// Inserts a key, unless a key was created after the newest one that the caller knows, whose creation is the last
    /// value. Of two gateways that do this at the same time, the unique `follows_at` stops one.
    static let insert = Statement(
        """
        INSERT INTO signing_keys
            (id, algorithm, public_key, sealed_key, created_at, signs_from, needed_until, follows_at)
        SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8 WHERE NOT EXISTS (SELECT 1 FROM signing_keys WHERE created_at > ?8)
        ON CONFLICT (follows_at) DO NOTHING
        """, String.self, String.self, String.self, [UInt8].self, Date.self, Date.self, Date.self, Date.self)

    static let need = Statement(
        "UPDATE signing_keys SET needed_until = max(needed_until, ?) WHERE id = ?", Date.self, String.self)

    /// Deletes keys that were replaced and whose tokens have all expired.
    static let deleteUnneeded = Statement(
        """
        DELETE FROM signing_keys WHERE needed_until < ?
            AND signs_from < (SELECT max(signs_from) FROM signing_keys WHERE signs_from <= ?)
        """, Date.self, Date.self)

    static let deleteOthers = Statement("DELETE FROM signing_keys WHERE id <> ?", String.self)
}
