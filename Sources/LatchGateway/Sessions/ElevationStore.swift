import Database
import FoundationEssentials

/// Which sessions may see what is locked: their person typed the PIN a short while ago.
///
/// It belongs to the session and not to the person, lives 15 minutes from the PIN, and each use in its last five minutes
/// has it live five minutes more, up to eight hours from the PIN: an app that asks by itself all night long must not keep
/// it open for ever. It is kept with the session, so every gateway on the database knows it, and it ends with the session.
/// ``PINStore/unlock(_:with:of:)`` begins it.
///
/// That a session is not elevated is remembered, so that most requests read nothing for it; that one is never is.
///
/// Source: IM-15; contract of Immich, b.7; NIST SP 800-63B §4.2.3 for an end that no use puts off.
final class ElevationStore: Sendable {
    /// How long it lives from the PIN.
    static let lifetime = Duration.seconds(900)
    /// How much longer a use has it live.
    static let sliding = Duration.seconds(300)
    /// How long it lives from the PIN however much it is used.
    static let maximum = Duration.seconds(28_800)
    /// What is gained by less than this is not written.
    private static let grain = Duration.seconds(10)

    private let database: Database
    private let now: @Sendable () -> Date
    private let locked = ReadCache<SessionID, Void>(capacity: 16_384)

    /// Makes a store on a database with the gateway's tables.
    init(database: Database, now: @escaping @Sendable () -> Date) {
        self.database = database
        self.now = now
    }

    /// Until when the session is elevated, after a use of it; nil when it is not.
    func use(_ session: SessionID) async throws -> Date? {
        guard locked[session] == nil else { return nil }
        let (now, ticket) = (now(), locked.ticket)
        guard let stored = try await find(session), now < stored.until else {
            locked.insert((), for: session, ticket: ticket)
            return nil
        }
        let slid = min(now + Self.sliding, stored.last)
        guard stored.until + Self.grain < slid else { return stored.until }
        let extended = try await database.write { connection in
            try connection.run(ElevationStatements.extend, slid, session.rawValue, stored.until)
        }
        // Locked, or extended, by another request meanwhile: what that one left is true.
        if extended == 1 { return slid }
        return try await find(session).flatMap { now < $0.until ? $0.until : nil }
    }

    /// Ends it for a session.
    func end(_ session: SessionID) async throws {
        _ = try await database.write { try $0.run(ElevationStatements.end, session.rawValue) }
    }

    /// Takes note that a session was elevated.
    func noteBegun(_ session: SessionID) {
        locked.remove(session)
    }

    /// Forgets what is in memory: another process may have written.
    func forget() {
        locked.removeAll()
    }

    private func find(_ session: SessionID) async throws -> StoredElevation? {
        try await database.read { try $0.first(ElevationStatements.find, session.rawValue) }
    }
}

/// An elevation as the database has it.
struct StoredElevation: Sendable {
    let until: Date
    /// What no use puts off.
    let last: Date

    @Sendable
    init(_ row: SQLRow) throws(DatabaseError) {
        let until: Date = try row.get(0)
        let begun: Date? = try row.get(1)
        self.until = until
        last = begun.map { $0 + ElevationStore.maximum } ?? until
    }
}

/// The SQL of elevation.
enum ElevationStatements {
    static let find = Statement(
        "SELECT elevated_until, elevated_at FROM sessions WHERE id = ? AND elevated_until IS NOT NULL", String.self,
        row: StoredElevation.init)

    static let begin = Statement(
        "UPDATE sessions SET elevated_at = ?, elevated_until = ? WHERE id = ?", Date.self, Date.self, String.self)

    static let end = Statement("UPDATE sessions SET elevated_until = NULL WHERE id = ?", String.self)

    static let extend = Statement(
        "UPDATE sessions SET elevated_until = ? WHERE id = ? AND elevated_until = ?", Date.self, String.self,
        Date.self)

    static let endAll = Statement("UPDATE sessions SET elevated_until = NULL WHERE person_id = ?", UUID.self)
}
