import Database

/// Migrates the schema of a PostgreSQL database. The version is in the table `schema_version`, in one row.
struct PostgreSQLMigrator {
    private static let hasVersion = Statement("SELECT to_regclass('schema_version') IS NOT NULL") {
        row throws(DatabaseError) in try row.get(0) as Bool
    }
    private static let version = Statement("SELECT application_id, version FROM schema_version") {
        row throws(DatabaseError) in (id: try row.get(0) as Int32, version: try row.get(1) as Int)
    }
    private static let record = Statement("UPDATE schema_version SET version = ?", Int.self)

    private let migrations: [Migration]
    private let ownID: Int32

    init(_ migrations: [Migration], applicationID: Int32) {
        Migration.checkOrder(migrations)
        self.migrations = migrations
        ownID = applicationID
    }

    /// Returns the version of the tables of this program. 0 when there are none. Changes nothing.
    func version(of connection: Connection) throws(DatabaseError) -> Int {
        var version = 0
        try connection.snapshot { () throws(DatabaseError) in version = try checkedVersion(connection) }
        return version
    }

    /// Runs the migrations that the database lacks, in one transaction. Gateways that start at the same time wait for
    /// each other.
    func migrate(_ connection: Connection) throws(DatabaseError) {
        var isCurrent = false
        try connection.snapshot { () throws(DatabaseError) in isCurrent = try self.isCurrent(connection) }
        guard !isCurrent else { return }
        try createVersionTable(connection)
        try connection.driver.beginWriting(until: .now, outlivesPowerLoss: true)
        do throws(DatabaseError) {
            // Checked again under the lock, because another program may have run the migrations meanwhile.
            if try !self.isCurrent(connection) { try run(connection) }
            try connection.driver.commit()
        } catch {
            connection.driver.rollback()
            throw error
        }
    }

    /// Creates the table that writers lock. Two programs may do so at the same time: only one row is stored.
    private func createVersionTable(_ connection: Connection) throws(DatabaseError) {
        try connection.driver.execute(
            """
            BEGIN;
            SELECT pg_advisory_xact_lock(\(ownID));
            CREATE TABLE IF NOT EXISTS schema_version (application_id bigint NOT NULL, version bigint NOT NULL);
            INSERT INTO schema_version SELECT \(ownID), 0 WHERE NOT EXISTS (SELECT 1 FROM schema_version);
            COMMIT;
            """)
    }

    private func run(_ connection: Connection) throws(DatabaseError) {
        try connection.driver.execute(CompatibilityFunctions.sql)
        let version = try connection.first(Self.version)?.version ?? 0
        for migration in migrations where version < migration.version { try migration.run(connection) }
        try connection.run(Self.record, migrations.newestVersion)
    }

    /// Throws when the tables belong to another program.
    private func checkedVersion(_ connection: Connection) throws(DatabaseError) -> Int {
        guard try connection.first(Self.hasVersion) == true, let found = try connection.first(Self.version) else {
            return 0
        }
        guard found.id == ownID else {
            throw DatabaseError(
                .notADatabase,
                "Could not open \(connection.driver.subject): its tables belong to another program; choose another "
                    + "database.")
        }
        return found.version
    }

    /// Throws when the tables belong to another program or were migrated by a newer one.
    private func isCurrent(_ connection: Connection) throws(DatabaseError) -> Bool {
        let version = try checkedVersion(connection)
        guard version <= migrations.newestVersion else {
            throw DatabaseError.newerThanProgram(connection, version: version, newest: migrations.newestVersion)
        }
        return version == migrations.newestVersion
    }
}
