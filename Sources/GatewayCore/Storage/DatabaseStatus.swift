import Database

/// What an operator wants to know about a database.
package struct DatabaseStatus: Sendable {
    /// The version of the server, such as `PostgreSQL 15.18`, or of SQLite.
    package let product: String
    /// The version of the tables. 0 when there are none.
    package let schemaVersion: Int
    /// What a commit waits for, in words.
    package let durability: String
    /// Whether a machine can be lost without losing a confirmed commit. False for one file or one server.
    package let hasConfirmedCopy: Bool
    /// The size in bytes.
    package let size: Int
    /// How much the database's clock is ahead of this program's. Nil on the same machine.
    package let clockDifference: Duration?
    /// The number of people, and of sessions that have not ended. Nil when the tables have another version.
    package let counts: (people: Int, sessions: Int)?

    private static let counting = Statement(
        "SELECT (SELECT count(*) FROM people), (SELECT count(*) FROM sessions WHERE ended_at IS NULL)"
    ) { row throws(DatabaseError) in (people: try row.get(0) as Int, sessions: try row.get(1) as Int) }

    private static let file = Statement(
        "SELECT sqlite_version(), page_count * page_size FROM pragma_page_count, pragma_page_size"
    ) { row throws(DatabaseError) in (version: try row.get(0) as String, size: try row.get(1) as Int) }

    private static let server = Statement(
        """
        SELECT current_setting('server_version'), pg_database_size(current_database()),
            current_setting('synchronous_commit'), current_setting('synchronous_standby_names'),
            current_setting('fsync') = 'on'
        """
    ) { row throws(DatabaseError) in
        Server(
            version: try row.get(0), size: try row.get(1), synchronousCommit: try row.get(2), standbys: try row.get(3),
            flushes: try row.get(4))
    }

    private struct Server: Sendable {
        let version: String
        let size: Int
        let synchronousCommit: String
        let standbys: String
        let flushes: Bool

        var hasConfirmedCopy: Bool {
            flushes && !standbys.isEmpty && ["on", "remote_apply", "remote_write"].contains(synchronousCommit)
        }

        /// Source: PostgreSQL, "Write Ahead Log": `synchronous_commit`, `fsync`.
        var durability: String {
            if !flushes {
                return "a commit does not wait for the disk (fsync = off): a crash of the machine loses data"
            }
            switch synchronousCommit {
            case "off":
                return "a commit does not wait for the disk (synchronous_commit = off): a crash loses the last commits"
            case "local": return "a commit waits for the disk of the primary server only (synchronous_commit = local)"
            default:
                return standbys.isEmpty
                    ? "a commit waits for the disk of the primary server; there is no synchronous standby"
                    : "a commit waits for the disk of the primary server and for the standby "
                        + "(synchronous_standby_names = \(standbys))"
            }
        }
    }

    /// Reads the status of a database, and changes nothing.
    ///
    /// - Throws: `DatabaseError` when the database does not exist, does not answer, or belongs to another program.
    package static func read(_ location: DatabaseLocation) async throws -> DatabaseStatus {
        let version = try await location.schemaVersion()
        // Opening would migrate another version.
        let isCurrent = version == DatabaseLocation.schemaVersion
        let database = try await location.openForInspection()
        do {
            let status = try await read(database, location, version: version, isCurrent: isCurrent)
            await database.close()
            return status
        } catch {
            await database.close()
            throw error
        }
    }

    private static func read(
        _ database: Database, _ location: DatabaseLocation, version: Int, isCurrent: Bool
    ) async throws -> DatabaseStatus {
        let counts = isCurrent ? try await database.read { try $0.first(counting) } : nil
        if case .server = location {
            let clock = try await database.externalChanges().clockDifference
            guard let found = try await database.read({ try $0.first(server) }) else {
                throw GatewayError(.database, "Could not read the settings of the database.")
            }
            return DatabaseStatus(
                product: "PostgreSQL \(found.version)", schemaVersion: version, durability: found.durability,
                hasConfirmedCopy: found.hasConfirmedCopy, size: found.size, clockDifference: clock, counts: counts)
        }
        let found = try await database.read { try $0.first(file) }
        return DatabaseStatus(
            product: "SQLite \(found?.version ?? "")", schemaVersion: version,
            durability: "a commit waits for the disk of this machine", hasConfirmedCopy: false,
            size: found?.size ?? 0, clockDifference: nil, counts: counts)
    }
}
