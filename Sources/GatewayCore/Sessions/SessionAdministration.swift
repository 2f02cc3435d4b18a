package import Database
package import FoundationEssentials
import HTTPMessages
import Synchronization

/// The number of sessions and API keys that were revoked.
package struct RevokedAccess: Sendable, Equatable {
    /// The number of sessions.
    package var sessions = 0
    /// The number of API keys.
    package var keys = 0

    /// Creates a value.
    package init(sessions: Int = 0, keys: Int = 0) {
        self.sessions = sessions
        self.keys = keys
    }
}

/// Lists, ends and deletes sessions, for administrators.
///
/// It can be used while a gateway runs in another process. That gateway refuses the tokens of ended sessions within 250
/// ms; see ``Gateway``.
package final class SessionAdministration: Sendable {
    package let database: Database
    package let audit: AuditLog
    package let now: @Sendable () -> Date
    private let ended = Mutex<(@Sendable (UUID) -> Void)?>(nil)

    package init(database: Database, audit: AuditLog, now: @escaping @Sendable () -> Date) {
        self.database = database
        self.audit = audit
        self.now = now
    }

    package func onSessionsEnded(_ action: @escaping @Sendable (UUID) -> Void) {
        ended.withLock { $0 = action }
    }

    /// Returns all stored sessions, the oldest first, including ended ones.
    package func list() async throws -> [SessionSummary] {
        try await database.read { try $0.all(SessionStatements.list) }
    }

    /// Ends one session, and those of clients and devices that were allowed in it.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - actor: The administrator who ends it on a page. Nil for a command.
    /// - Returns: The number of revoked sessions.
    /// - Throws: ``GatewayError/Code/unknownSession`` when no live session has this id.
    @discardableResult
    package func revoke(_ session: SessionID, by actor: UUID? = nil) async throws -> RevokedAccess {
        let (now, reason) = (now(), SessionEndReason.revoked)
        let ended = try await database.write { connection -> (person: UUID, allowed: [SessionID])? in
            guard
                let person = try connection.first(
                    SessionStatements.endByID, now, reason.rawValue, session.rawValue, now)
            else { return nil }
            return (person, try Self.endAllowed(in: session, of: person, reason, at: now, connection))
        }
        guard let ended else {
            throw GatewayError(
                .unknownSession, "No live session has the id '\(session)'; 'latchd sessions list' shows them.")
        }
        for id in [session] + ended.allowed {
            recordEnd(of: ended.person, AuditEvent(.revoked, person: ended.person, actor: actor, session: id))
        }
        return RevokedAccess(sessions: 1 + ended.allowed.count)
    }

    /// Signs a person out everywhere: ends all sessions, including sign-ins in progress, and revokes the person's API
    /// keys. `actor` is the administrator who does so on a page.
    ///
    /// - Returns: The number of revoked sessions and keys.
    @discardableResult
    package func revokeAll(of person: UUID, by actor: UUID? = nil) async throws -> RevokedAccess {
        let now = now()
        let revoked = try await database.write { try Self.revokeAll(of: person, at: now, $0) }
        recordEnd(of: person, AuditEvent(.revoked, reason: "all-sessions", person: person, actor: actor))
        return revoked
    }

    /// Does the same inside a write transaction.
    package static func revokeAll(
        of person: UUID, at now: Date, _ connection: Connection
    ) throws(DatabaseError) -> RevokedAccess {
        // A sign-in in progress has read the old epoch, so it can insert no session after this.
        try connection.run(SessionStatements.bumpEpoch, now, person)
        return RevokedAccess(
            sessions: try connection.run(SessionStatements.endAll, now, SessionEndReason.revoked.rawValue, person),
            keys: try connection.run(APIKeyStatements.revokeAll, now, person))
    }

    /// Invalidates cached sessions of a person and records an event.
    func recordEnd(of person: UUID, _ event: AuditEvent) {
        ended.withLock { $0 }?(person)
        audit.record(event)
    }

    /// Returns the live ones of these sessions.
    package func live(of sessions: Set<SessionID>) async throws -> [SessionID: LiveSession] {
        let now = now()
        let ids = String(decoding: JSON.encode(sessions.map(\.rawValue)), as: UTF8.self)
        let live = try await database.read { try $0.all(SessionStatements.live, ids, now) }
        return Dictionary(live) { first, _ in first }
    }

    /// Returns the number of live sessions.
    package func liveCount() async throws -> Int {
        let now = now()
        return try await database.read { try $0.first(SessionStatements.countLive, now) ?? 0 }
    }

    /// Deletes sessions that were ended or expired longer ago than `age`, at most 1,000 in each transaction. Before
    /// that, it ends sessions whose parent has expired.
    ///
    /// - Returns: The number of deleted sessions.
    @discardableResult
    package func purge(olderThan age: Duration) async throws -> Int {
        let now = now()
        let limit = now - age
        _ = try await database.write { connection in
            // A use of the parent in the last seconds may not be written yet.
            try connection.run(
                SessionStatements.endOrphans, now, SessionEndReason.revoked.rawValue, now - .seconds(60))
        }
        var total = 0
        while true {
            try Task.checkCancellation()
            // One large transaction would hold up all other writes of the gateway.
            let count = try await database.write { connection in
                try connection.run(SessionStatements.purgeEnded, limit)
                    + connection.run(SessionStatements.purgeExpired, limit)
            }
            if count == 0 { return total }
            total += count
        }
    }
}

/// A session that has not ended.
package struct LiveSession: Sendable {
    package let person: Person
    /// When the session ends if it is not used again.
    package let expires: Date
}
