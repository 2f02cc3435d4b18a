/// Migrates a file's schema to the program's version, or throws the reason why it cannot.
///
/// Source: SQLite, "Pragma Statements": `application_id`, `user_version`; "ALTER TABLE" §7 for rebuilding tables.
struct Migrator: Sendable {
    private static let applicationID = Statement("PRAGMA application_id") { row throws(DatabaseError) in
        try row.get(0) as Int32
    }
    private static let version = Statement("PRAGMA user_version") { row throws(DatabaseError) in
        try row.get(0) as Int
    }
    private static let isEmpty = Statement("SELECT NOT EXISTS (SELECT 1 FROM sqlite_schema)") {
        row throws(DatabaseError) in try row.get(0) as Bool
    }
    private static let danglingReference = Statement("SELECT \"table\" FROM pragma_foreign_key_check LIMIT 1") {
        row throws(DatabaseError) in try row.get(0) as String
    }

    private let migrations: [Migration]
    private let ownID: Int32

    init(_ migrations: [Migration], applicationID: Int32) {
        let versions = migrations.map(\.version)
        precondition(zip(versions, versions.dropFirst()).allSatisfy(<), "migrations must be ordered by version")
        self.migrations = migrations
        ownID = applicationID
    }

    private var newestVersion: Int { migrations.last?.version ?? 0 }

    /// Throws when the file belongs to another program or was migrated by a newer program. Changes nothing.
    func check(_ connection: Connection) throws(DatabaseError) {
        let id = try connection.first(Self.applicationID) ?? 0
        let version = try connection.first(Self.version) ?? 0
        let isEmpty = try connection.first(Self.isEmpty) ?? false
        let isUnclaimed = id == 0 && version == 0 && isEmpty
        guard id == ownID || isUnclaimed else {
            throw DatabaseError(
                .notADatabase,
                "Could not open \(connection.handle.subject): it is the SQLite database of another program "
                    + "(application id \(id), not \(ownID)); choose another path, or move the file away.")
        }
        guard version <= newestVersion else {
            throw DatabaseError(
                .newerThanProgram,
                "Could not open \(connection.handle.subject): a newer program has migrated it to version \(version), "
                    + "but this program supports only versions up to \(newestVersion); use the newer program, "
                    + "or a backup of the file from before the upgrade.")
        }
    }

    /// Runs the migrations that the file lacks, each in its own transaction.
    func migrate(_ connection: Connection, until deadline: ContinuousClock.Instant) throws(DatabaseError) {
        if try connection.first(Self.applicationID) != ownID {
            try transaction(connection, until: deadline) { () throws(DatabaseError) in
                try connection.handle.execute("PRAGMA application_id = \(ownID)", operation: .write)
            }
        }
        for migration in migrations where try connection.first(Self.version) ?? 0 < migration.version {
            try transaction(connection, until: deadline) { () throws(DatabaseError) in
                // Checked again under the lock, because another program may have run the migration meanwhile.
                guard try connection.first(Self.version) ?? 0 < migration.version else { return }
                try run(migration, connection)
            }
        }
    }

    private func run(_ migration: Migration, _ connection: Connection) throws(DatabaseError) {
        do throws(DatabaseError) {
            try connection.handle.withoutTransactionControl { handle throws(DatabaseError) in
                try handle.execute(migration.sql, operation: .write)
            }
            guard !connection.handle.isOutsideTransaction else { throw rolledBack(connection) }
            if let table = try connection.first(Self.danglingReference) { throw dangling(table, connection) }
            try connection.handle.execute("PRAGMA user_version = \(migration.version)", operation: .write)
        } catch {
            throw DatabaseError(
                error.code,
                "Could not migrate \(connection.handle.subject) to version \(migration.version) (\(migration.name)): "
                    + error.message,
                cause: error)
        }
    }

    private func dangling(_ table: String, _ connection: Connection) -> DatabaseError {
        DatabaseError(
            .constraint(.foreignKey),
            "Could not write to \(connection.handle.subject): a row of '\(table)' would refer to a missing row.")
    }

    private func rolledBack(_ connection: Connection) -> DatabaseError {
        DatabaseError(.other, "Could not write to \(connection.handle.subject): the transaction was rolled back.")
    }

    private func transaction(
        _ connection: Connection, until deadline: ContinuousClock.Instant, _ body: () throws(DatabaseError) -> Void
    ) throws(DatabaseError) {
        try connection.beginWriting(until: deadline)
        do throws(DatabaseError) {
            // Checked again, because another program may have changed the file between the first check and the lock.
            try check(connection)
            try body()
            try connection.commitWriting()
        } catch {
            connection.abandonTransaction()
            throw error
        }
    }
}
