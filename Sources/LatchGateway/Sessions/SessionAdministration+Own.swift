import Database
import FoundationEssentials

/// A live session as its person sees it.
struct OwnSession: Sendable, Equatable {
    let id: SessionID
    let device: SessionDevice
    let created: Date
    let lastUsed: Date
    let expires: Date
    /// The version of the app, where it told.
    let appVersion: String?
    /// Whether the app shall fetch everything anew.
    let needsFullSync: Bool
    /// The session that this one was made from.
    let parent: SessionID?

    @Sendable
    init(_ row: SQLRow) throws(DatabaseError) {
        id = SessionID(rawValue: try row.get(0))
        device = SessionDevice(name: try row.get(1), kind: try row.get(2))
        created = try row.get(3)
        lastUsed = try row.get(4)
        expires = try row.get(5)
        appVersion = try row.get(6)
        needsFullSync = try row.get(7)
        parent = (try row.get(8) as String?).map(SessionID.init(rawValue:))
    }
}

extension SessionAdministration {
    /// A person's live sessions, whichever dialect they were begun by; the one used last is first.
    func ownSessions(of person: UUID) async throws -> [OwnSession] {
        let now = now()
        return try await database.read { try $0.all(OwnSessionStatements.live, person, now) }
    }

    /// A live session of a person by its id.
    func ownSession(_ id: SessionID, of person: UUID) async throws -> OwnSession? {
        let now = now()
        return try await database.read { try $0.first(OwnSessionStatements.byID, person, now, id.rawValue) }
    }

    /// A live session of a person by the id for clients that want a UUID.
    func ownSession(uuid: UUID, of person: UUID) async throws -> OwnSession? {
        let now = now()
        return try await database.read { connection in
            if let found = try connection.first(OwnSessionStatements.byUUID, person, now, uuid) { return found }
            // Sessions from before the column exists have none. The last of them ends within the maximum lifetime of a session.
            return try connection.all(OwnSessionStatements.withoutUUID, person, now).first { $0.id.uuid == uuid }
        }
    }

    /// Makes a session that was just begun one of another: it ends or expires with that, and lives no longer than `lifetime`.
    /// It is as old as that, too: what wants a sign-in of a short while ago is not to be had by a new token.
    ///
    /// - Throws: ``GatewayError/Code/unknownSession`` when the other is over; the new one is then over too.
    func adopt(_ child: SessionID, by parent: SessionID, lifetime: Duration?) async throws {
        let now = now()
        let cap = lifetime.map { now + $0 } ?? .distantFuture
        let count = try await database.write { connection in
            let count = try connection.run(OwnSessionStatements.adopt, cap, parent.rawValue, child.rawValue)
            if count == 0 {
                try connection.run(
                    SessionStatements.endByID, now, SessionEndReason.revoked.rawValue, child.rawValue, now)
            }
            return count
        }
        guard count == 1 else { throw GatewayError(.unknownSession, "The session was ended just now.") }
    }

    /// Keeps whether the app shall fetch everything anew.
    func note(needsFullSync: Bool, of session: SessionID) async throws {
        _ = try await database.write { try $0.run(OwnSessionStatements.noteSync, needsFullSync, session.rawValue) }
    }

    /// Keeps the version of the app that a session is used by.
    func note(appVersion: String, of session: SessionID) async throws {
        _ = try await database.write { try $0.run(OwnSessionStatements.noteApp, appVersion, session.rawValue) }
    }

}

/// The SQL of a person's own sessions.
enum OwnSessionStatements {
    private static let ofPerson = """
        SELECT id, device_name, device_kind, created_at, last_used_at, expires_at, app_version, needs_full_sync, parent_id
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
            authenticated_at = p.authenticated_at, cap_at = min(sessions.cap_at, p.cap_at, ?1),
            expires_at = min(sessions.expires_at, p.cap_at, ?1)
        FROM sessions p WHERE p.id = ?2 AND p.ended_at IS NULL AND sessions.id = ?3
        """, Date.self, String.self, String.self)

    static let noteSync = Statement("UPDATE sessions SET needs_full_sync = ? WHERE id = ?", Bool.self, String.self)

    static let noteApp = Statement("UPDATE sessions SET app_version = ? WHERE id = ?", String.self, String.self)
}
