import Database
import PostgreSQL
import TestSupport
import Testing

@Suite("Addresses of PostgreSQL databases")
struct AddressTests {
    @Test(
        "an address with a password, without encryption over a network, or that is malformed is refused",
        arguments: [
            "postgresql://ada:s3cr3t@db.example/latchd", "postgresql://db.example/latchd?password=s3cr3t",
            "postgresql://db.example/latchd?sslmode=disable", "postgresql://db.example/latchd?sslmode=prefer",
            "postgresql://127.0.0.1,db.example/latchd?sslmode=disable", "postgresql://db.example/latchd?s3cr3t=1",
            "postgresql://db.example:s3cr3t/latchd", "mysql://db.example/latchd", "postgresql://a\0b/s3cr3t", "",
            "postgresql:///latchd?hostaddr=10.0.0.5&sslmode=disable",
            "postgresql://localhost/latchd?hostaddr=10.0.0.5&sslmode=disable",
            "postgresql://db.example/latchd?sslpassword=s3cr3t", "postgresql:///latchd?service=other",
            "postgresql://127.evil.example/latchd?sslmode=disable",
            "postgresql://db1,db2/latchd?target_session_attrs=read-only",
            "postgresql://db1,db2/latchd?target_session_attrs=standby",
            "postgresql://db1,db2/latchd?target_session_attrs=prefer-standby",
            "postgresql://db1,db2/latchd?port=5432,5433,5434", "postgresql:///latchd?port=5432,5433",
            "postgresql://db1,db2/latchd?hostaddr=10.0.0.5", "postgresql://db.example/latchd?connect_timeout=s3cr3t",
            "postgresql://db.example/latchd?keepalives_idle=1s",
        ])
    func refused(_ text: String) throws {
        let error = #expect(throws: DatabaseError.self) { try PostgreSQLAddress(text) }
        #expect(error?.code == .cannotOpen && error?.message.contains("s3cr3t") == false)
    }

    @Test(
        "a misspelt parameter is not repeated, but the one that was probably meant is named",
        arguments: [
            ("db.example/latchd?sslmod=verify-full", "(did you mean 'sslmode'?)"),
            ("ada@db.example/latchd?passfile=/a&ssl_rootcert=/b", "(did you mean 'sslrootcert'?)"),
            ("ada:s3cr3t?t0ken=1@db.example/latchd?conect_timeout=1", "(did you mean 'connect_timeout'?)"),
            ("db.example/latchd?ssl=true&target_session=any", "(did you mean 'target_session_attrs'?)"),
            ("db.example/latchd?t0ken=1", "it has an unknown parameter; correct its name, or remove it"),
            // Not to be used at all.
            ("db.example/latchd?pasword=1", "it has an unknown parameter; correct its name, or remove it"),
            ("db.example/latchd?servic=1", "it has an unknown parameter; correct its name, or remove it"),
            ("db.example/latchd?sslmode", "it is malformed"), ("[db.example/latchd?sslmode=require", "it is malformed"),
        ])
    func misspelt(_ rest: String, _ text: String) throws {
        let error = #expect(throws: DatabaseError.self) { try PostgreSQLAddress("postgresql://" + rest) }
        let message = error?.message ?? ""
        #expect(error?.code == .cannotOpen && message.contains(text), "\(message)")
        for word in ["s3cr3t", "t0ken", "sslmod=", "sslmod'", "conect", "pasword", "servic"] {
            #expect(!message.contains(word), "\(message)")
        }
    }

    @Test("addresses of this machine, of several hosts and with a password file are accepted")
    func accepted() throws {
        let several = try PostgreSQLAddress("postgresql://latchd@db1:5433,db2/latchd?passfile=/etc/latchd/pgpass")
        #expect(try PostgreSQLAddress("postgresql://db1/latchd?hostaddr=10.0.0.5").isLocal == false)
        #expect(several.description == "the database 'latchd' at db1, db2" && !several.isLocal)
        for text in [
            "postgresql:///latchd", "postgresql://latchd@/latchd?host=/run/postgresql",
            "postgresql://127.0.0.1/latchd?sslmode=disable", "postgresql://[::1]/latchd?sslmode=disable",
            "postgresql://db.example/latchd?hostaddr=127.0.0.1&sslmode=disable",
            "postgresql://localhost,127.0.0.1/latchd?port=5433&target_session_attrs=primary",
            "postgresql:///latchd?hostaddr=127.0.0.1,127.0.0.2&port=5433,5434",
        ] {
            #expect(try PostgreSQLAddress(text).isLocal)
        }
    }

    @Test("a server that does not exist is an error that names it")
    func missing() async throws {
        let driver = try ServerFixture.driver("postgresql:///latchd?host=/nonexistent")
        let failure = await code { try await Database.open(driver, migrations: ServerFixture.migrations) }
        #expect(failure == .unavailable)
        let running = try await ServerFixture()
        let wrong = running.address.replacing("@/test", with: "@/missing")
        let unknown = await code { try await Database.open(ServerFixture.driver(wrong), migrations: []) }
        #expect(unknown == .cannotOpen)
        let stranger = running.address.replacing("latchd@/", with: "stranger@/")
        #expect(await code { try await Database.open(ServerFixture.driver(stranger), migrations: []) } == .cannotOpen)
    }

    @Test("a database of a newer program and one of another program are refused")
    func versions() async throws {
        let fixture = try await ServerFixture()
        await fixture.database.close()
        #expect(
            await code { try await Database.open(ServerFixture.driver(fixture.address), migrations: []) }
                == .newerThanProgram)
        try await fixture.query("UPDATE schema_version SET application_id = 1")
        #expect(
            await code {
                try await Database.open(ServerFixture.driver(fixture.address), migrations: ServerFixture.migrations)
            } == .notADatabase)
    }

    @Test("gateways that open a new database at the same time migrate it once")
    func concurrentMigration() async throws {
        let address = try await PostgreSQLServer.running().createDatabase()
        try await withThrowingTaskGroup { group in
            for _ in 0..<8 {
                group.addTask {
                    try await Database.open(ServerFixture.driver(address), migrations: ServerFixture.migrations)
                }
            }
            for try await database in group { await database.close() }
        }
    }
}
