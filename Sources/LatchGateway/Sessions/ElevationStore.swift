import Database
import FoundationEssentials

/// Which sessions may see what is locked: their person typed the PIN a short while ago.
///
/// It belongs to the session and not to the person, lives 15 minutes from the PIN, and each use in its last five minutes
/// has it live five minutes more. It is kept with the session, so every gateway on the database knows it, and it ends
/// with the session.
///
/// Source: IM-15; contract of Immich, b.7.
struct ElevationStore: Sendable {
    /// How long it lives from the PIN.
    static let lifetime = Duration.seconds(900)
    /// How much longer a use has it live.
    static let sliding = Duration.seconds(300)
    /// What is gained by less than this is not written.
    private static let grain = Duration.seconds(10)

    let database: Database
    let now: @Sendable () -> Date

    /// Until when the session is elevated, after a use of it; nil when it is not.
    func use(_ session: SessionID) async throws -> Date? {
        let now = now()
        let stored = try await database.read { try $0.first(ElevationStatements.find, session.rawValue) ?? nil }
        guard let until = stored, now < until else { return nil }
        let slid = now + Self.sliding
        guard until + Self.grain < slid else { return until }
        let extended = try await database.write { connection in
            try connection.run(ElevationStatements.extend, slid, session.rawValue, until)
        }
        // Locked, or extended, by another request meanwhile: what that one left is true.
        if extended == 1 { return slid }
        let left = try await database.read { try $0.first(ElevationStatements.find, session.rawValue) ?? nil }
        return left.flatMap { now < $0 ? $0 : nil }
    }

    /// Elevates a session.
    func begin(_ session: SessionID) async throws {
        let until = now() + Self.lifetime
        _ = try await database.write { try $0.run(ElevationStatements.set, until, session.rawValue) }
    }

    /// Ends it for a session.
    func end(_ session: SessionID) async throws {
        _ = try await database.write { try $0.run(ElevationStatements.set, nil, session.rawValue) }
    }
}

/// The SQL of elevation.
enum ElevationStatements {
    static let find = Statement("SELECT elevated_until FROM sessions WHERE id = ?", String.self) {
        row throws(DatabaseError) in try row.get(0) as Date?
    }

    static let set = Statement("UPDATE sessions SET elevated_until = ? WHERE id = ?", Date?.self, String.self)

    static let extend = Statement(
        "UPDATE sessions SET elevated_until = ? WHERE id = ? AND elevated_until = ?", Date.self, String.self,
        Date.self)

    static let endAll = Statement("UPDATE sessions SET elevated_until = NULL WHERE person_id = ?", UUID.self)
}
