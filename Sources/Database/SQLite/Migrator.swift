/// Migrates a file's schema to the program's version, or throws the reason why it cannot.
///
/// Source: SQLite, "Pragma Statements": `application_id`, `user_version`; "ALTER TABLE" §7 for rebuilding tables.
struct Migrator: Sendable {
    private static let storedID = Statement("PRAGMA application_id") { row throws(DatabaseError) in
        try row.get(0) as Int32
    }
    private static let version = Statement("PRAGMA user_version") { row throws(DatabaseError) in
        try row.get(0) as Int
    }
    private static let isEmpty = Statement("SELECT NOT EXISTS (SELECT 1 FROM sqlite_schema)") {
        row throws(DatabaseError) in try row.get(0) as Bool
    }

    let migrations: [Migration]
    let applicationID: Int32

    /// Returns the version of a file that belongs to this program, or to none. Changes nothing.
    func version(of connection: Connection) throws(DatabaseError) -> Int {
        var version = 0
        try connection.snapshot { () throws(DatabaseError) in
            try checkOwner(connection)
            version = try connection.first(Self.version) ?? 0
        }
        return version
    }

    /// Throws when the file belongs to another program or was migrated by a newer program. Changes nothing.
    func check(_ connection: Connection) throws(DatabaseError) {
        try checkOwner(connection)
        let version = try connection.first(Self.version) ?? 0
        guard version <= migrations.newestVersion else {
            throw DatabaseError.newerThanProgram(
                connection.driver.subject, version: version, newest: migrations.newestVersion)
        }
    }

    private func checkOwner(_ connection: Connection) throws(DatabaseError) {
        let id = try connection.first(Self.storedID) ?? 0
        let version = try connection.first(Self.version) ?? 0
        let isEmpty = try connection.first(Self.isEmpty) ?? false
        let isUnclaimed = id == 0 && version == 0 && isEmpty
        guard id == applicationID || isUnclaimed else {
            throw DatabaseError(
                .notADatabase,
                "Could not open \(connection.driver.subject): it is the SQLite database of another program "
                    + "(application id \(id), not \(applicationID)); choose another path, or move the file away.")
        }
    }

    /// Runs the migrations that the file lacks, in one transaction, so that the file has either its old version or the
    /// newest.
    func migrate(_ connection: Connection) throws(DatabaseError) {
        guard try !isCurrent(connection) else { return }
        try transaction(connection) { () throws(DatabaseError) in
            // Checked again under the lock, because another program may have run the migrations meanwhile.
            guard try !isCurrent(connection) else { return }
            try connection.driver.execute("PRAGMA application_id = \(applicationID)")
            let version = try connection.first(Self.version) ?? 0
            for migration in migrations where version < migration.version { try migration.run(connection) }
            try connection.driver.execute("PRAGMA user_version = \(migrations.newestVersion)")
        }
    }

    private func isCurrent(_ connection: Connection) throws(DatabaseError) -> Bool {
        let id = try connection.first(Self.storedID)
        let version = try connection.first(Self.version)
        return id == applicationID && version == migrations.newestVersion
    }

    private func transaction(
        _ connection: Connection, _ body: () throws(DatabaseError) -> Void
    ) throws(DatabaseError) {
        try connection.driver.beginWriting(outlivesPowerLoss: true)
        do throws(DatabaseError) {
            // Checked again, because another program may have changed the file between the first check and the lock.
            try check(connection)
            try body()
            try connection.driver.commit()
        } catch {
            connection.driver.rollback()
            throw error
        }
    }
}
