import Database
package import FoundationEssentials
import HTTPMessages
import Primitives

/// The live sessions of a client, for administrators.
package struct ClientUse: Sendable, Equatable {
    /// The number of live sessions.
    package var sessions = 0
    /// The number of people who have them.
    package var people = 0
    /// When a person last signed in to the client, or the client last refreshed a token; to the day if the client has no
    /// live session. Nil when that is not known: it is not recorded for a client of the configuration.
    package var lastUsed: Date?

    /// Creates a value. By default, the client is not used.
    package init(sessions: Int = 0, people: Int = 0, lastUsed: Date? = nil) {
        self.sessions = sessions
        self.people = people
        self.lastUsed = lastUsed
    }
}

/// What administrators see of clients, and how they end them.
extension ClientStore {
    /// A position in the list of clients.
    package struct Position: Sendable {
        /// The name of the client at this position.
        package let name: String
        /// Its `client_id`.
        package let id: String

        /// Creates a position. By default, it is before the first client.
        package init(name: String = "", id: String = "") {
            self.name = name
            self.id = id
        }
    }

    /// Returns at most `limit` clients after a position, those of the configuration and the stored ones, by name.
    ///
    /// - Parameters:
    ///   - search: A text that the name or the id must contain, ignoring the case of ASCII letters; empty for all.
    ///   - position: The position of the last client of the page before.
    ///   - limit: The maximum number of clients.
    /// - Returns: The clients. A stored one with the id of a client of the configuration is not among them.
    /// - Throws: `DatabaseError`.
    package func page(search: String, after position: Position, limit: Int) async throws -> [RegisteredClient] {
        let text = search.lowercasedASCII
        let inConfiguration = configured.filter { client in
            let texts = [client.name, client.id].map(\.lowercasedASCII)
            return (text.isEmpty || texts.contains { $0.contains(text) })
                && Self.key(position.name, position.id).lexicographicallyPrecedes(Self.key(client.name, client.id))
        }
        // A stored client with the id of a configured one is not used, and must not make the page shorter.
        let count = limit + configured.count
        let stored = try await database.read {
            try $0.all(ClientStatements.page, position.name, position.id, text, count)
        }
        let hidden = Set(configured.map { ExactText($0.id) })
        let all = inConfiguration + stored.filter { !hidden.contains(ExactText($0.id)) }
        let sorted = all.sorted { Self.key($0.name, $0.id).lexicographicallyPrecedes(Self.key($1.name, $1.id)) }
        return Array(sorted.prefix(limit))
    }

    /// Returns the order of clients, which is that of the database.
    private static func key(_ name: String, _ id: String) -> [UInt8] { Array(name.utf8) + [0] + Array(id.utf8) }

    /// Returns how clients are used, by their id.
    ///
    /// - Throws: `DatabaseError`.
    package func use(of clients: [RegisteredClient]) async throws -> [String: ClientUse] {
        let now = now()
        let ids = String(decoding: JSON.encode(clients.map(\.id)), as: UTF8.self)
        return try await database.read { connection in
            var all = Dictionary(try connection.all(ClientStatements.use, now, ids)) { first, _ in first }
            // The sessions of a client may be over, or deleted already.
            for (client, used) in try connection.all(ClientStatements.lastUsed, ids) {
                let last = all[client]?.lastUsed
                all[client, default: ClientUse()].lastUsed = last.map { max($0, used) } ?? used
            }
            return all
        }
    }

    /// Withdraws what everybody allowed a client, and ends all its sessions.
    ///
    /// - Returns: The number of sessions that ended.
    /// - Throws: `DatabaseError`.
    @discardableResult
    package func endAccess(of client: String) async throws -> Int {
        let now = now()
        return try await database.write { try Self.endAccess(of: client, at: now, $0) }
    }

    /// Does the same inside a write transaction.
    static func endAccess(of client: String, at now: Date, _ connection: Connection) throws(DatabaseError) -> Int {
        try connection.run(ClientStatements.removeConsents, client)
        return try connection.run(ClientStatements.endSessions, now, SessionEndReason.revoked.rawValue, client)
    }
}

extension ClientStatements {
    static let page = Statement(
        """
        SELECT \(columns) FROM clients
        WHERE (name > ?1 OR (name = ?1 AND id > ?2)) AND (instr(lower(name), ?3) > 0 OR instr(lower(id), ?3) > 0)
        ORDER BY name, id LIMIT ?4
        """, String.self, String.self, String.self, Int.self, row: RegisteredClient.init)

    /// Selects the use of the clients in a JSON array. Only live sessions are read.
    static let use = Statement(
        """
        SELECT l.client_id, count(*), count(DISTINCT s.person_id), max(s.last_used_at)
        FROM json_each(?2) j JOIN client_sessions l ON l.client_id = j.value AND NOT l.is_over
            JOIN sessions s ON s.id = l.session_id
        WHERE s.ended_at IS NULL AND s.expires_at > ?1 GROUP BY l.client_id
        """, Date.self, String.self
    ) { row throws(DatabaseError) in
        (
            try row.get(0) as String,
            ClientUse(sessions: try row.get(1), people: try row.get(2), lastUsed: try row.get(3))
        )
    }

    /// Selects the recorded last uses of the stored clients in a JSON array.
    static let lastUsed = Statement(
        """
        SELECT c.id, c.last_used_at FROM json_each(?) j JOIN clients c ON c.id = j.value
        WHERE c.last_used_at IS NOT NULL
        """, String.self
    ) { row throws(DatabaseError) in (try row.get(0) as String, try row.get(1) as Date) }
}
