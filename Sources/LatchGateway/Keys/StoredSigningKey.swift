import Database
import FoundationEssentials
import Wire

/// A signing key as the database has it.
struct StoredSigningKey: Sendable {
    let id: String
    let algorithm: String
    /// The public half as a JSON web key.
    let publicKey: [UInt8]
    /// The private half, sealed with the gateway's key.
    let box: [UInt8]
    let created: Date
    /// When it begins to sign.
    let signsFrom: Date
    /// When the last token that it signed is over; no gateway signs for longer without writing it here first.
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

/// The SQL of signing keys.
enum SigningKeyStatements {
    static let all = Statement(
        """
        SELECT id, algorithm, public_key, sealed_key, created_at, signs_from, needed_until FROM signing_keys
        ORDER BY signs_from, created_at, id
        """, row: StoredSigningKey.init)

    /// Nothing is inserted when somebody made a key since the last that the maker knows of.
    static let insert = Statement(
        """
        INSERT INTO signing_keys (id, algorithm, public_key, sealed_key, created_at, signs_from, needed_until)
        SELECT ?, ?, ?, ?, ?, ?, ? WHERE NOT EXISTS (SELECT 1 FROM signing_keys WHERE created_at > ?)
        """, String.self, String.self, String.self, [UInt8].self, Date.self, Date.self, Date.self, Date.self)

    static let need = Statement(
        "UPDATE signing_keys SET needed_until = max(needed_until, ?) WHERE id = ?", Date.self, String.self)

    /// Those that another has replaced and whose tokens are all over.
    static let deleteUnneeded = Statement(
        """
        DELETE FROM signing_keys WHERE needed_until < ?
            AND signs_from < (SELECT max(signs_from) FROM signing_keys WHERE signs_from <= ?)
        """, Date.self, Date.self)

    static let deleteOthers = Statement("DELETE FROM signing_keys WHERE id <> ?", String.self)
}
