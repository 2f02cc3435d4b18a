import Database

/// Migrates the schema of a PostgreSQL database.
///
/// The table `schema_version` has one row: the program, the version, and the random id of the database. A copy that the
/// server makes (a standby, a base backup, `pg_dump`) has the same id, and a database whose tables are created anew has
/// another one. A program of an earlier release made the table without the id.
struct PostgreSQLMigrator {
    /// What the row of `schema_version` says.
    private struct State {
        let version: Int
        let databaseID: String?
    }

    private static let hasVersion = Statement("SELECT to_regclass('schema_version') IS NOT NULL") {
        row throws(DatabaseError) in try row.get(0) as Bool
    }
    /// As JSON, because the table of another program has other columns.
    private static let row = Statement(
        """
        SELECT to_jsonb(v) ->> 'application_id', to_jsonb(v) ->> 'version', to_jsonb(v) ->> 'database_id'
        FROM schema_version v LIMIT 1
        """
    ) { row throws(DatabaseError) in
        (id: try row.get(0) as String?, version: try row.get(1) as String?, databaseID: try row.get(2) as String?)
    }
    /// Whether there are tables or views that belong to no extension.
    private static let hasTables = Statement(
        """
        SELECT EXISTS (
            SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
            AND c.relname <> 'schema_version' AND NOT EXISTS (
                SELECT 1 FROM pg_depend d
                WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e'))
        """
    ) { row throws(DatabaseError) in try row.get(0) as Bool }
    /// How long the addition of the column waits for the transactions that read the table, such as those of `pg_dump`, in
    /// milliseconds. Meanwhile all others wait behind it.
    private static let columnLockTimeout = 200
    private static let encoding = Statement("SELECT current_setting('server_encoding')") {
        row throws(DatabaseError) in try row.get(0) as String
    }
    private static let record = Statement("UPDATE schema_version SET version = ?", Int.self)

    let migrations: [Migration]
    let applicationID: Int32

    /// Returns the version of the tables of this program. 0 when there are none. Changes nothing. Throws when there are
    /// none and none can be created because of the encoding.
    func version(of connection: Connection) throws(DatabaseError) -> Int {
        if let state = try snapshotState(connection) { return state.version }
        try requireUTF8(connection)
        return 0
    }

    /// Runs the migrations that the database lacks, in one transaction. Gateways that start at the same time wait for
    /// each other.
    ///
    /// - Parameter connection: The connection that writes.
    /// - Returns: The id of the database.
    /// - Throws: `DatabaseError`. The tables then keep their version.
    func migrate(_ connection: Connection) throws(DatabaseError) -> String {
        if let state = try snapshotState(connection), let id = state.databaseID, try isCurrent(state, connection) {
            return id
        }
        try requireUTF8(connection)
        try createVersionTable(connection)
        try connection.driver.beginWriting(outlivesPowerLoss: true)
        do throws(DatabaseError) {
            // Read again under the lock, because another program may have run the migrations meanwhile.
            guard let state = try self.state(connection), let id = state.databaseID else {
                throw foreignTablesError(connection)
            }
            if try !isCurrent(state, connection) { try run(connection, from: state.version) }
            try connection.driver.commit()
            return id
        } catch {
            connection.driver.rollback()
            throw error
        }
    }

    /// Other encodings cannot store every name.
    private func requireUTF8(_ connection: Connection) throws(DatabaseError) {
        var encoding: String?
        try connection.snapshot { () throws(DatabaseError) in encoding = try connection.first(Self.encoding) }
        guard encoding == "UTF8" else {
            throw DatabaseError(
                .cannotOpen,
                "Could not use \(connection.driver.subject): its encoding is \(encoding ?? "unknown"), in which not every "
                    + "name can be stored; create it with ENCODING 'UTF8' TEMPLATE template0.")
        }
    }

    /// Creates the table that writers lock. Two programs may do so at the same time: only one row is stored.
    private func createVersionTable(_ connection: Connection) throws(DatabaseError) {
        try connection.driver.execute(
            """
            BEGIN;
            SELECT pg_advisory_xact_lock(\(applicationID));
            CREATE TABLE IF NOT EXISTS schema_version (
                application_id bigint NOT NULL, version bigint NOT NULL, database_id uuid);
            DO $$
            BEGIN
                IF NOT EXISTS (
                    SELECT FROM pg_attribute
                    WHERE attrelid = 'schema_version'::regclass AND attname = 'database_id' AND NOT attisdropped)
                THEN
                    SET LOCAL lock_timeout = \(Self.columnLockTimeout);
                    ALTER TABLE schema_version ADD COLUMN database_id uuid;
                END IF;
            END $$;
            INSERT INTO schema_version (application_id, version)
                SELECT \(applicationID), 0 WHERE NOT EXISTS (SELECT 1 FROM schema_version);
            UPDATE schema_version SET database_id = gen_random_uuid() WHERE database_id IS NULL;
            COMMIT;
            """)
    }

    private func run(_ connection: Connection, from version: Int) throws(DatabaseError) {
        // Gateways of the version before read the tables meanwhile. A statement may rewrite a large table.
        try connection.driver.execute(
            "SET LOCAL lock_timeout = 5000; SET LOCAL statement_timeout = 0;" + CompatibilityFunctions.sql)
        for migration in migrations where version < migration.version { try migration.run(connection) }
        try connection.run(Self.record, migrations.newestVersion)
    }

    private func snapshotState(_ connection: Connection) throws(DatabaseError) -> State? {
        var state: State?
        try connection.snapshot { () throws(DatabaseError) in state = try self.state(connection) }
        return state
    }

    /// Returns nil for a database without tables. Throws when the tables belong to another program.
    private func state(_ connection: Connection) throws(DatabaseError) -> State? {
        let hasVersion = try connection.first(Self.hasVersion) == true
        guard hasVersion, let found = try connection.first(Self.row) else {
            guard try connection.first(Self.hasTables) == false else { throw foreignTablesError(connection) }
            return nil
        }
        guard found.id == "\(applicationID)", let version = found.version.flatMap(Int.init) else {
            throw foreignTablesError(connection)
        }
        return State(version: version, databaseID: found.databaseID)
    }

    private func foreignTablesError(_ connection: Connection) -> DatabaseError {
        DatabaseError(
            .notADatabase,
            "Could not open \(connection.driver.subject): it has tables of another program; create an empty database "
                + "for latchd, and use its address.")
    }

    /// Whether the tables have the version of the last migration. Throws when a newer program has migrated them.
    private func isCurrent(_ state: State, _ connection: Connection) throws(DatabaseError) -> Bool {
        guard state.version <= migrations.newestVersion else {
            throw DatabaseError.newerThanProgram(
                connection.driver.subject, version: state.version, newest: migrations.newestVersion)
        }
        return state.version == migrations.newestVersion
    }
}
