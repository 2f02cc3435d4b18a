package import Database
package import FoundationEssentials

/// A live session as it is shown to its person.
package struct OwnSession: Sendable, Equatable {
    package let id: SessionID
    package let device: SessionDevice
    package let created: Date
    package let lastUsed: Date
    package let expires: Date
    /// The version of the app; nil when the app did not send it.
    package let appVersion: String?
    /// Whether the app must fetch all data again.
    package let needsFullSync: Bool
    /// The session that this one was created from; nil when there is none.
    package let parent: SessionID?
    /// The session in which this session of a client or device was allowed; nil for any other session.
    package let allowedIn: SessionID?

    @Sendable
    package init(_ row: SQLRow) throws(DatabaseError) {
        id = SessionID(rawValue: try row.get(0))
        device = SessionDevice(name: try row.get(1), kind: try row.get(2))
        created = try row.get(3)
        lastUsed = try row.get(4)
        expires = try row.get(5)
        appVersion = try row.get(6)
        needsFullSync = try row.get(7)
        parent = (try row.get(8) as String?).map(SessionID.init(rawValue:))
        allowedIn = (try row.get(9) as String?).map(SessionID.init(rawValue:))
    }
}

extension SessionAdministration {
    /// Returns a person's live sessions of all dialects, the most recently used first.
    package func ownSessions(of person: UUID) async throws -> [OwnSession] {
        let now = now()
        return try await database.read { try $0.all(OwnSessionStatements.live, person, now) }
    }

    /// Returns a live session of a person by its id; nil when there is none.
    package func ownSession(_ id: SessionID, of person: UUID) async throws -> OwnSession? {
        let now = now()
        return try await database.read { try $0.first(OwnSessionStatements.byID, person, now, id.rawValue) }
    }

    /// Returns a live session of a person by its ``SessionID/uuid``; nil when there is none.
    package func ownSession(uuid: UUID, of person: UUID) async throws -> OwnSession? {
        let now = now()
        return try await database.read { connection in
            if let found = try connection.first(OwnSessionStatements.byUUID, person, now, uuid) { return found }
            // Sessions that were created before the `uuid` column existed have none. The last of them ends within the
            // maximum lifetime of a session.
            return try connection.all(OwnSessionStatements.withoutUUID, person, now).first { $0.id.uuid == uuid }
        }
    }

    /// Makes a new session the child of another session. The child ends or expires with the parent and lives no longer
    /// than `lifetime`. It also gets the parent's times of creation and sign-in, so that a new token does not count as
    /// a recent sign-in, the parent's methods of authentication, and its identity provider with the session there.
    ///
    /// - Throws: ``GatewayError/Code/unknownSession`` when the parent has ended. The child is then ended too.
    package func adopt(_ child: SessionID, by parent: SessionID, lifetime: Duration?) async throws {
        let now = now()
        let cap = lifetime.map { now + $0 } ?? .distantFuture
        // No cache has to be invalidated, because the token of the child has not been sent yet.
        let count = try await database.write { connection in
            let count = try connection.run(OwnSessionStatements.adopt, cap, parent.rawValue, child.rawValue)
            if count == 0 {
                try connection.run(
                    SessionStatements.endByID, now, SessionEndReason.revoked.rawValue, child.rawValue, now)
            }
            return count
        }
        guard count == 1 else { throw GatewayError(.unknownSession, "The session has just ended.") }
    }

    /// Stores whether the app must fetch all data again.
    package func record(needsFullSync: Bool, of session: SessionID) async throws {
        _ = try await database.write { try $0.run(OwnSessionStatements.noteSync, needsFullSync, session.rawValue) }
    }

    /// Stores the version of the app that uses a session.
    package func record(appVersion: String, of session: SessionID) async throws {
        _ = try await database.write { try $0.run(OwnSessionStatements.noteApp, appVersion, session.rawValue) }
    }

}

/// SQL statements for a person's own sessions.
enum OwnSessionStatements {
    private static let ofPerson = """
        SELECT id, device_name, device_kind, created_at, last_used_at, expires_at, app_version, needs_full_sync, parent_id,
            allowed_in
        FROM sessions WHERE person_id = ? AND ended_at IS NULL AND expires_at > ?
        """

    static let live = Statement(
        "\(ofPerson) ORDER BY last_used_at DESC, id", UUID.self, Date.self, row: OwnSession.init)

    static let byID = Statement(
        "\(ofPerson) AND id = ?", UUID.self, Date.self, String.self, row: OwnSession.init)

    static let byUUID = Statement(
        "\(ofPerson) AND uuid = ?", UUID.self, Date.self, UUID.self, row: OwnSession.init)

    static let withoutUUID = Statement(
        "\(ofPerson) AND uuid IS NULL", UUID.self, Date.self, row: OwnSession.init)

    static let adopt = Statement(
        """
        UPDATE sessions SET parent_id = p.id, created_at = p.created_at,
            authenticated_at = p.authenticated_at, methods = \(SessionStatements.methods(of: "p")),
            provider = p.provider, provider_session = p.provider_session,
            cap_at = min(sessions.cap_at, min(p.cap_at, ?1)), expires_at = min(sessions.expires_at, min(p.cap_at, ?1))
        FROM sessions p WHERE p.id = ?2 AND p.ended_at IS NULL AND sessions.id = ?3
        """, Date.self, String.self, String.self)

    static let noteSync = Statement("UPDATE sessions SET needs_full_sync = ? WHERE id = ?", Bool.self, String.self)

    static let noteApp = Statement("UPDATE sessions SET app_version = ? WHERE id = ?", String.self, String.self)
}
