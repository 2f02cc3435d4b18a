import Database
import FoundationEssentials

/// A key that may be orphaned on an account's server. It must be revoked unless the account uses it.
///
/// The record is stored before the step that may orphan the key, so that a crash never leaves an unknown key behind.
///
/// Source: RM-8; docs/protocols/relate-mail.md, Rotating a key.
struct OrphanedKey: Sendable, Hashable {
    /// How a key is identified.
    enum Identifier: Sendable, Hashable {
        /// The id of the key on the server.
        case id(String)
        /// The name of the key. The response with its id may not have arrived.
        case name(String)

        var text: String {
            switch self {
            case .id(let text), .name(let text): text
            }
        }

        var isName: Bool {
            if case .name = self { return true }
            return false
        }
    }

    var identifier: Identifier
    var recorded: Date
}

extension AccountStore {
    /// Records keys that may be orphaned.
    func record(_ identifiers: [OrphanedKey.Identifier], of id: UUID) async throws {
        let moment = now()
        try await change { connection in
            for identifier in identifiers { try Self.record(identifier, of: id, at: moment, connection) }
        }
    }

    static func record(
        _ identifier: OrphanedKey.Identifier, of id: UUID, at moment: Date, _ connection: Connection
    ) throws(DatabaseError) {
        switch identifier {
        case .id(let text): try connection.run(insertOrphanedKey, text, nil, moment, id)
        case .name(let text): try connection.run(insertOrphanedKey, nil, text, moment, id)
        }
    }

    /// Returns the keys of an account that may be orphaned.
    func orphanedKeys(of id: UUID) async throws -> [OrphanedKey] {
        try await LatchError.converting { try await database.read { try $0.all(Self.selectOrphanedKeys, id) } }
    }

    /// Removes the record of a key.
    func removeRecord(_ identifier: OrphanedKey.Identifier, of id: UUID) async throws {
        try await LatchError.converting {
            try await database.write { _ = try $0.run(Self.deleteOrphanedKey, identifier.text, id) }
        }
    }

    static let insertOrphanedKey = Statement(
        """
        INSERT OR IGNORE INTO leftover_keys (server_url, user_email, dialect, key_id, name, noted_at) \
        SELECT server_url, user_email, dialect, ?, ?, ? FROM accounts WHERE id = ?
        """, String?.self, String?.self, Date.self, UUID.self)

    static let selectOrphanedKeys = Statement(
        "SELECT key_id, name, noted_at FROM leftover_keys WHERE \(ofAccount)", UUID.self
    ) { row throws(DatabaseError) in
        let (id, name): (String?, String?) = (try row.get(0), try row.get(1))
        return OrphanedKey(identifier: id.map { .id($0) } ?? .name(name ?? ""), recorded: try row.get(2))
    }

    static let deleteOrphanedKey = Statement(
        "DELETE FROM leftover_keys WHERE coalesce(key_id, name) = ? AND \(ofAccount)", String.self, UUID.self)

    static let withOrphanedKeys = Statement(
        """
        SELECT id FROM accounts WHERE stage = 'in' AND (server_url, user_email, dialect) IN \
        (SELECT server_url, user_email, dialect FROM leftover_keys)
        """
    ) { row throws(DatabaseError) in try row.get(0) as UUID }

    private static let ofAccount =
        "(server_url, user_email, dialect) = (SELECT server_url, user_email, dialect FROM accounts WHERE id = ?)"
}
