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
/// Several gateways share the queue. A sign-out that a gateway has taken becomes due again later, also after a crash,
/// until it is removed.
package struct ClientSignOutStore: Sendable {
    /// How often a client is told at most.
    package static let maximumAttempts = 5
    /// The maximum number of stored sign-outs. When there are more, the oldest are dropped.
    private static let capacity = 10_000
    /// The maximum number of sign-outs that are taken at a time.
    private static let batch = 16
    /// The time until the second attempt, in milliseconds. Each further attempt waits longer by this time.
    private static let pause = 60_000

    private let database: Database
    private let now: @Sendable () -> Date

    /// Creates a store.
    package init(database: Database, now: @escaping @Sendable () -> Date) {
        self.database = database
        self.now = now
    }

    /// Takes the sign-outs that are due, at most 16.
    ///
    /// - Throws: `DatabaseError`.
    package func take() async throws -> [ClientSignOut] {
        let now = now()
        // Most of the time nothing is due, and nothing is written.
        guard try await database.read({ try $0.first(ClientSignOutStatements.isDue, now) }) == true else { return [] }
        return try await database.write { connection in
            try connection.run(ClientSignOutStatements.trim, Self.capacity)
            return try connection.all(ClientSignOutStatements.take, now, Self.pause, Self.batch)
        }
    }

    /// Removes a sign-out that the client was told, or will not be told any more.
    package func remove(_ session: SessionID) async throws {
        _ = try await database.write { try $0.run(ClientSignOutStatements.remove, session.rawValue) }
    }
}

/// SQL statements for sign-outs that clients must be told.
enum ClientSignOutStatements {
    static let isDue = Statement(
        "SELECT EXISTS (SELECT 1 FROM client_sign_outs WHERE next_at <= ?)", Date.self
    ) { row throws(DatabaseError) in try row.get(0) as Bool }

    static let take = Statement(
        """
        UPDATE client_sign_outs SET attempts = attempts + 1, next_at = ?1 + ?2 * (attempts + 1)
        WHERE session_id IN (SELECT session_id FROM client_sign_outs WHERE next_at <= ?1 ORDER BY next_at LIMIT ?3)
        RETURNING session_id, client_id, person_id, attempts, address
        """, Date.self, Int.self, Int.self, row: ClientSignOut.init)

    static let remove = Statement("DELETE FROM client_sign_outs WHERE session_id = ?", String.self)

    static let trim = Statement(
        """
        DELETE FROM client_sign_outs WHERE session_id IN
            (SELECT session_id FROM client_sign_outs ORDER BY next_at DESC LIMIT 1000000000 OFFSET ?)
        """, Int.self)
}
