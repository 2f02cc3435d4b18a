package import Database
package import FoundationEssentials

/// A session of a client whose end the client must be told.
package struct ClientSignOut: Sendable, Equatable {
    /// The client's session.
    package let session: SessionID
    /// The `client_id`.
    package let client: String
    /// The person.
    package let person: UUID
    /// How often the client was told, including this time.
    package let attempts: Int
    /// The address of a stored client when the session ended. It is for a client that was removed since. Nil for a
    /// client of the configuration.
    package let address: String?

    @Sendable
    init(_ row: SQLRow) throws(DatabaseError) {
        session = SessionID(rawValue: try row.get(0))
        client = try row.get(1)
        person = try row.get(2)
        attempts = try row.get(3)
        address = try row.get(4)
    }
}

/// The sign-outs that clients must be told. A trigger of the database adds them when a session ends, in any way and in
/// any program.
///
/// Each client has a queue of its own, which all gateways share. A sign-out that a gateway has taken becomes due again
/// later, also after a crash, until it is removed.
package struct ClientSignOutStore: Sendable {
    /// How often a client is told at most.
    package static let maximumAttempts = 5
    /// The maximum number of stored sign-outs of one client. When there are more, its oldest are dropped.
    package static let capacity = 10_000
    /// The time until the second attempt, in milliseconds. Each further attempt waits longer by this time.
    private static let pause = 60_000

    private let database: Database
    private let capacity: Int
    private let now: @Sendable () -> Date

    /// Creates a store.
    package init(database: Database, capacity: Int = capacity, now: @escaping @Sendable () -> Date) {
        self.database = database
        self.capacity = capacity
        self.now = now
    }

    /// Returns the clients with sign-outs that are due, in any order.
    ///
    /// - Throws: `DatabaseError`.
    package func dueClients() async throws -> [String] {
        let now = now()
        return try await database.read { try $0.all(ClientSignOutStatements.dueClients, now) }
    }

    /// Drops the oldest sign-outs of a client beyond the capacity.
    ///
    /// - Throws: `DatabaseError`.
    package func trim(_ client: String) async throws {
        let capacity = capacity
        let isOver = try await database.read { connection in
            try connection.first(ClientSignOutStatements.isOver, client, capacity)
        }
        guard isOver == true else { return }
        _ = try await database.write { try $0.run(ClientSignOutStatements.trim, client, capacity) }
    }

    /// Removes a sign-out that the client was told, and takes the next one of the client that is due. Nil when none is.
    ///
    /// - Throws: `DatabaseError`.
    package func next(of client: String, removing told: SessionID? = nil) async throws -> ClientSignOut? {
        let now = now()
        return try await database.write { connection in
            if let told { try connection.run(ClientSignOutStatements.remove, told.rawValue) }
            return try connection.first(ClientSignOutStatements.take, now, Self.pause, client)
        }
    }

    /// Counts an attempt for all sign-outs of a client that are due, because the client does not respond. Returns how many
    /// of them are dropped, after the last attempt.
    ///
    /// - Throws: `DatabaseError`.
    package func postpone(_ client: String) async throws -> Int {
        let now = now()
        return try await database.write { connection in
            let dropped = try connection.run(ClientSignOutStatements.giveUp, client, now, Self.maximumAttempts - 1)
            try connection.run(ClientSignOutStatements.postpone, now, Self.pause, client)
            return dropped
        }
    }

    /// Removes a sign-out that the client was told, or will not be told any more.
    ///
    /// - Throws: `DatabaseError`.
    package func remove(_ session: SessionID) async throws {
        _ = try await database.write { try $0.run(ClientSignOutStatements.remove, session.rawValue) }
    }
}

/// SQL statements for sign-outs that clients must be told.
enum ClientSignOutStatements {
    static let dueClients = Statement(
        "SELECT DISTINCT client_id FROM client_sign_outs WHERE next_at <= ?", Date.self
    ) { row throws(DatabaseError) in try row.get(0) as String }

    static let take = Statement(
        """
        UPDATE client_sign_outs SET attempts = attempts + 1, next_at = ?1 + ?2 * (attempts + 1)
        WHERE session_id IN
            (SELECT session_id FROM client_sign_outs WHERE client_id = ?3 AND next_at <= ?1 ORDER BY next_at LIMIT 1)
        RETURNING session_id, client_id, person_id, attempts, address
        """, Date.self, Int.self, String.self, row: ClientSignOut.init)

    static let postpone = Statement(
        """
        UPDATE client_sign_outs SET attempts = attempts + 1, next_at = ?1 + ?2 * (attempts + 1)
        WHERE client_id = ?3 AND next_at <= ?1
        """, Date.self, Int.self, String.self)

    static let giveUp = Statement(
        "DELETE FROM client_sign_outs WHERE client_id = ? AND next_at <= ? AND attempts >= ?", String.self, Date.self,
        Int.self)

    static let remove = Statement("DELETE FROM client_sign_outs WHERE session_id = ?", String.self)

    static let isOver = Statement(
        "SELECT EXISTS (SELECT 1 FROM client_sign_outs WHERE client_id = ?1 LIMIT 1 OFFSET ?2)", String.self, Int.self
    ) { row throws(DatabaseError) in try row.get(0) as Bool }

    static let trim = Statement(
        """
        DELETE FROM client_sign_outs WHERE session_id IN
            (SELECT session_id FROM client_sign_outs WHERE client_id = ?1
            ORDER BY next_at DESC LIMIT 1000000000 OFFSET ?2)
        """, String.self, Int.self)
}
