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
    /// What the operator should change on the server: one sentence each.
    package let warnings: [String]
    /// The number of people, and of sessions that have not ended. Nil when the tables have another version.
    package let counts: (people: Int, sessions: Int)?

    /// Whether tables can be created in the database.
    private let mayCreateTables: Bool

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
            current_setting('fsync') = 'on',
            (SELECT reset_val = '0' FROM pg_settings WHERE name = 'idle_in_transaction_session_timeout'),
            coalesce(has_schema_privilege(current_schema(), 'CREATE'), false)
        """
    ) { row throws(DatabaseError) in
        Server(
            version: try row.get(0), size: try row.get(1), synchronousCommit: try row.get(2), standbys: try row.get(3),
            flushes: try row.get(4), keepsIdleTransactions: try row.get(5), mayCreateTables: try row.get(6))
    }

    private struct Server: Sendable {
        let version: String
        let size: Int
        let synchronousCommit: String
        let standbys: String
        let flushes: Bool
        /// Whether no time limit ends transactions of other programs. The gateway's connections set their own.
        let keepsIdleTransactions: Bool
        let mayCreateTables: Bool

        var hasConfirmedCopy: Bool {
            flushes && !standbys.isEmpty && ["on", "remote_apply", "remote_write"].contains(synchronousCommit)
        }

        /// Source: PostgreSQL, "Write Ahead Log": `synchronous_commit`, `fsync`.
        var durability: String {
            if !flushes {
                return "a commit does not wait for the disk (fsync = off): a crash of the machine loses data"
            }
            let setting = "(synchronous_commit = \(synchronousCommit))"
            switch synchronousCommit {
            case "off": return "a commit does not wait for the disk \(setting): a crash loses the last commits"
            case "local": return "a commit waits for the disk of the primary server only \(setting)"
            default:
                let disk = "a commit waits for the disk of the primary server"
                return standbys.isEmpty
                    ? "\(disk) \(setting); there is no synchronous standby"
                    : "\(disk) and for the standby \(setting.dropLast()), synchronous_standby_names = \(standbys))"
            }
        }

        /// Source: PostgreSQL, "Client Connection Defaults": `idle_in_transaction_session_timeout`.
        var warnings: [String] {
            guard keepsIdleTransactions else { return [] }
            return [
                "A transaction that another program leaves open, such as psql, can block all sign-ins, because "
                    + "idle_in_transaction_session_timeout is 0. On the server, run: "
                    + "ALTER SYSTEM SET idle_in_transaction_session_timeout = '10s'; SELECT pg_reload_conf();"
            ]
        }
    }

    /// Reads the status of a database, and changes nothing.
    ///
    /// - Throws: `DatabaseError` when the database does not exist, does not answer, or belongs to another program.
    package static func read(_ location: DatabaseLocation) async throws -> DatabaseStatus {
        let version = try await location.schemaVersion()
        // Opening would migrate another version.
        let isCurrent = version == DatabaseLocation.schemaVersion
        return try await location.openForInspection().closing { database in
            try await read(database, location, version: version, isCurrent: isCurrent)
        }
    }

    /// Reads the status as ``read(_:)`` does, and throws when a gateway could not use the database. Changes nothing.
    ///
    /// - Parameter location: The database.
    /// - Returns: The status. Nil for an SQLite file that does not exist and can be created.
    /// - Throws: `DatabaseError`, also when this user may not write to the file or may not create its tables, or when a
    ///   newer program has migrated it; ``GatewayError/Code/database`` when tables are missing.
    package static func check(_ location: DatabaseLocation) async throws -> DatabaseStatus? {
        if let path = location.path { try Database.requireWritable(path) }
        if location.isMissingFile { return nil }
        let (status, newest) = (try await read(location), DatabaseLocation.schemaVersion)
        guard status.schemaVersion <= newest else {
            throw DatabaseError.newerThanProgram(location.subject, version: status.schemaVersion, newest: newest)
        }
        guard status.mayCreateTables || status.schemaVersion == newest else {
            throw DatabaseError(
                .cannotOpen,
                "Could not use \(location.subject): its user may not create tables; make that role the owner of the "
                    + "database and of its tables.")
        }
        return status
    }

    private static func read(
        _ database: Database, _ location: DatabaseLocation, version: Int, isCurrent: Bool
    ) async throws -> DatabaseStatus {
        if isCurrent { try await requireTables(database, location) }
        let counts = isCurrent ? try await database.read { try $0.first(counting) } : nil
        if case .server = location {
            let clock = try await database.externalChanges().clockDifference
            guard let found = try await database.read({ try $0.first(server) }) else {
                throw GatewayError(
                    .database,
                    "Could not read the settings of '\(location.description)': the server returned none; check that the "
                        + "address leads to PostgreSQL 15 or later.")
            }
            return DatabaseStatus(
                product: "PostgreSQL \(found.version)", schemaVersion: version, durability: found.durability,
                hasConfirmedCopy: found.hasConfirmedCopy, size: found.size, clockDifference: clock,
                warnings: found.warnings, counts: counts, mayCreateTables: found.mayCreateTables)
        }
        let found = try await database.read { try $0.first(file) }
        return DatabaseStatus(
            product: "SQLite \(found?.version ?? "")", schemaVersion: version,
            durability: "a commit waits for the disk of this machine", hasConfirmedCopy: false,
            size: found?.size ?? 0, clockDifference: nil, warnings: [], counts: counts, mayCreateTables: true)
    }

    /// Throws when tables are missing, although the database has the version of this program.
    private static func requireTables(_ database: Database, _ location: DatabaseLocation) async throws {
        let missing = try await database.read { connection in
            try DatabaseCopy.tables.filter { try connection.columns(of: $0).isEmpty }
        }
        guard missing.isEmpty else {
            throw GatewayError(
                .database,
                "Could not use \(location.subject): it lacks the tables \(missing.joined(separator: ", ")); restore a "
                    + "backup into an empty database, and use that.")
        }
    }
}
