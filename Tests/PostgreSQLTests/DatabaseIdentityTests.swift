import Database
import PostgreSQL
import TestSupport
import Testing

@Suite("The database behind an address of PostgreSQL")
struct DatabaseIdentityTests {
    @Test("a connection to another or a recreated database is refused, and one to a copy of the same is not")
    func replaced() async throws {
        let fixture = try await ServerFixture()
        let (server, name) = (fixture.server, fixture.name)
        try await fixture.add(1)
        func expectRefusal() async throws {
            #expect(await code { try await fixture.ids() } == .moved)
            #expect(await code { try await fixture.add(2) } == .moved)
            let error = await #expect(throws: DatabaseError.self) { try await fixture.database.externalChanges() }
            #expect(error?.code == .moved && error?.message.contains("restart the gateway") == true)
        }

        try await server.renameDatabase(name, to: name + "_first")
        _ = try await server.createDatabase(named: name)
        try await expectRefusal()
        let recreated = try await fixture.other()
        try await expectRefusal()
        #expect(try await fixture.ids(recreated) == [])
        await recreated.close()

        try await server.renameDatabase(name, to: name + "_second")
        _ = try await server.createDatabase(named: name, from: name + "_first")
        #expect(try await fixture.ids() == [1])
        try await fixture.add(2)
        #expect(try await fixture.database.externalChanges().isComplete == false)
    }

    @Test("tables that are dropped or recreated while connections stay open are refused until the right ones are back")
    func replacedTables() async throws {
        let fixture = try await ServerFixture()
        try await fixture.add(1)
        #expect(try await fixture.ids() == [1])
        _ = try await fixture.database.externalChanges()
        #expect(try await fixture.database.externalChanges().isComplete)
        func expectRefusal() async {
            // The question for changes notices it, and tells all connections.
            #expect(await code { try await fixture.database.externalChanges() } == .moved)
            #expect(await code { try await fixture.ids() } == .moved)
            #expect(await code { try await fixture.add(2) } == .moved)
        }

        try await fixture.query("ALTER SCHEMA public RENAME TO first; CREATE SCHEMA public")
        await expectRefusal()
        try await fixture.query("DROP SCHEMA public; ALTER SCHEMA first RENAME TO public")
        #expect(try await fixture.database.externalChanges().isComplete == false)
        #expect(try await fixture.ids() == [1])
        try await fixture.add(2)

        try await fixture.query("ALTER SCHEMA public RENAME TO first; CREATE SCHEMA public")
        let recreated = try await fixture.other()
        await expectRefusal()
        #expect(try await fixture.ids(recreated) == [])
        await recreated.close()

        try await fixture.query("DROP SCHEMA public CASCADE; ALTER SCHEMA first RENAME TO public")
        #expect(try await fixture.database.externalChanges().isComplete == false)
        #expect(try await fixture.ids() == [1, 2])
        try await fixture.add(3)
    }

    @Test("a database that a newer program has migrated is the same, and one with older tables is not")
    func versions() async throws {
        let fixture = try await ServerFixture()
        func set(version: Int) async throws {
            try await fixture.query(
                """
                UPDATE schema_version SET version = \(version);
                SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                WHERE datname = current_database() AND pid <> pg_backend_pid()
                """)
        }
        try await set(version: 2)
        try await fixture.add(1)
        #expect(try await fixture.ids() == [1])
        try await set(version: 0)
        #expect(await code { try await fixture.ids() } == .moved)
    }

    @Test("tables of an earlier release get an id, and keep it")
    func withoutID() async throws {
        let fixture = try await ServerFixture()
        await fixture.database.close()
        try await fixture.query("ALTER TABLE schema_version DROP COLUMN database_id")
        var ids: [String] = []
        for _ in 0..<2 {
            try await fixture.other().close()
            ids.append(try await fixture.query("SELECT database_id FROM schema_version"))
        }
        #expect(ids[0].count > 30 && ids[0] == ids[1])
    }

    @Test("an upgrade runs while another program reads the table of the version, and does not let others wait")
    func readDuringMigration() async throws {
        let fixture = try await ServerFixture()
        let newer = ServerFixture.migrations + [Migration(to: 2, named: "notes", "CREATE TABLE notes (id BIGINT)")]
        func upgrade() async throws {
            try await Database.open(ServerFixture.driver(fixture.address), migrations: newer).close()
        }
        await fixture.database.close()
        try await fixture.query("ALTER TABLE schema_version DROP COLUMN database_id")
        // As pg_dump does.
        let dump = try await fixture.hold("LOCK TABLE schema_version IN ACCESS SHARE MODE")
        let start = ContinuousClock.now
        #expect(await code { try await upgrade() } == .locked)
        #expect(start.duration(to: .now) < .seconds(20))
        try await dump()
        try await fixture.other().close()

        let end = try await fixture.hold("LOCK TABLE schema_version IN ACCESS SHARE MODE")
        try await upgrade()
        #expect(try await fixture.query("SELECT version FROM schema_version") == "2\n")
        try await end()
    }

    @Test(
        "a database with tables of another program is refused, and stays unchanged",
        arguments: [
            "CREATE TABLE invoices (id int)", "CREATE VIEW today AS SELECT now()",
            "CREATE TABLE schema_version (installed_rank int, version text)",
            "CREATE TABLE schema_version AS SELECT 1 AS installed_rank, '1.0' AS version",
        ])
    func otherProgram(_ sql: String) async throws {
        let address = try await PostgreSQLServer.running().createDatabase()
        let (server, name) = (try await PostgreSQLServer.running(), PostgreSQLServer.name(ofDatabaseAt: address))
        try await server.query(sql + (sql.contains("(installed") ? "; CREATE TABLE other (id int)" : ""), in: name)
        let tables = "SELECT relname, relnatts FROM pg_class WHERE relnamespace = 'public'::regnamespace ORDER BY 1"
        let before = try await server.query(tables, in: name)

        let error = await #expect(throws: DatabaseError.self) {
            try await Database.open(ServerFixture.driver(address), migrations: ServerFixture.migrations)
        }

        #expect(error?.code == .notADatabase && error?.message.contains("create an empty database") == true)
        #expect(await code { try await Database.schemaVersion(ServerFixture.driver(address)) } == .notADatabase)
        #expect(try await server.query(tables, in: name) == before)
    }

    @Test("tables of an extension do not count as another program's")
    func `extension`() async throws {
        let server = try await PostgreSQLServer.running()
        let address = try await server.createDatabase()
        try await server.query(
            "CREATE EXTENSION pg_buffercache", in: PostgreSQLServer.name(ofDatabaseAt: address))
        try await Database.open(ServerFixture.driver(address), migrations: ServerFixture.migrations).close()
    }
}
