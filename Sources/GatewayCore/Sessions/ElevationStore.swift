package import Database
package import FoundationEssentials

/// Stores which sessions are elevated. An elevated session may access locked items, because its person typed the PIN
/// recently.
///
/// An elevation belongs to a session, not to a person. It lasts for 15 minutes after the PIN was typed. A use in its
/// last five minutes extends it to five minutes after the use, up to eight hours after the PIN. Without this maximum,
/// an app that sends requests all night would keep it open for ever. The elevation is stored with the session, so every
/// gateway on the database knows it, and it ends with the session. ``PINStore/unlock(_:with:of:)`` starts it.
///
/// The store caches that a session is not elevated, so that most requests read nothing from the database. It never
/// caches that a session is elevated.
///
/// Source: IM-15; docs/protocols/immich.md, PIN and locked assets; NIST SP 800-63B §4.2.3 for the maximum.
package final class ElevationStore: Sendable {
    /// How long an elevation lasts after the PIN was typed: 15 minutes.
    package static let lifetime = Duration.seconds(900)
    /// How long an elevation lasts at least after a use, within ``maximum``: 5 minutes.
    package static let sliding = Duration.seconds(300)
    /// How long an elevation lasts at most after the PIN was typed, regardless of its use: 8 hours.
    package static let maximum = Duration.seconds(28_800)
    /// The minimum extension that is written to the database.
    private static let grain = Duration.seconds(10)

    private let database: Database
    private let now: @Sendable () -> Date
    private let locked = ReadCache<SessionID, Void>(capacity: 16_384)

    /// Creates a store on a database with the gateway's tables.
    package init(database: Database, now: @escaping @Sendable () -> Date) {
        self.database = database
        self.now = now
    }

    /// Records a use of a session and returns the end of its elevation; nil when the session is not elevated.
    package func use(_ session: SessionID) async throws -> Date? {
        guard locked[session] == nil else { return nil }
        let (now, ticket) = (now(), locked.ticket)
        guard let stored = try await find(session), now < stored.until else {
            locked.insert((), for: session, ticket: ticket)
            return nil
        }
        let slid = min(now + Self.sliding, stored.last)
        // Without this minimum, every request in the last five minutes of an elevation would cost a durable write.
        guard stored.until + Self.grain < slid else { return stored.until }
        let extended = try await database.write { connection in
            try connection.run(ElevationStatements.extend, slid, session.rawValue, stored.until)
        }
        // Another request locked or extended the session in the meantime, and its result is in the database.
        if extended == 1 { return slid }
        return try await find(session).flatMap { now < $0.until ? $0.until : nil }
    }

    /// Ends the elevation of a session.
    package func end(_ session: SessionID) async throws {
        // The cache needs no change, because it never contains an elevated session.
        _ = try await database.write { try $0.run(ElevationStatements.end, session.rawValue) }
    }

    /// Removes a session from the cache after it was elevated.
    func invalidate(_ session: SessionID) {
        locked.remove(session)
    }

    /// Clears the cache, because another process may have changed the database.
    package func invalidateCache() {
        locked.removeAll()
    }

    private func find(_ session: SessionID) async throws -> StoredElevation? {
        try await database.read { try $0.first(ElevationStatements.find, session.rawValue) }
    }
}

/// An elevation as stored in the database.
struct StoredElevation: Sendable {
    let until: Date
    /// The latest possible end, which uses do not extend.
    let last: Date

    @Sendable
    init(_ row: SQLRow) throws(DatabaseError) {
        let until: Date = try row.get(0)
        let begun: Date? = try row.get(1)
        self.until = until
        last = begun.map { $0 + ElevationStore.maximum } ?? until
    }
}

/// SQL statements for elevations.
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

    static let endAll = Statement(
        "UPDATE sessions SET elevated_until = NULL WHERE person_id = ? AND ended_at IS NULL", UUID.self)
}
