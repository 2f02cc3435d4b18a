import CLibrary
import Database
import FoundationEssentials
import TestSupport
import Testing

@testable import PostgreSQL

@Suite("Refused connections to PostgreSQL")
struct RefusedConnectionTests {
    @Test(
        "the SQLSTATE in a message is found in every language, and a message of libpq itself has none",
        arguments: [
            ("connection to server on socket \"/x\" failed: FATAL:  3D000: Datenbank »x« existiert nicht", "3D000"),
            ("ВАЖНО:  28P01: пользователь не прошёл проверку подлинности\nПОДРОБНОСТИ:  28000: x", "28P01"),
            ("connection to \"a\" failed: Connection refused\nconnection to \"b\" failed: FATAL:  57P03: x", "57P03"),
            ("to \"a\" failed: FATAL:  57P03: x\nto \"b\" failed: FATAL:  28P01: y", "28P01"),
            ("to \"a\" failed: FATAL:  57P03: x\nto \"b\" failed: FATAL:  3D000: y", "3D000"),
            ("connection to server at \"a\" failed: Connection refused\n\tIs the server running?", ""),
            ("SSL error:  certificate verify failed", ""), ("", ""),
        ])
    func states(_ message: String, _ state: String) {
        #expect(PostgreSQLFailure(message: message).state == state)
    }

    private static let translations = "/usr/share/locale/de/LC_MESSAGES/postgres-15.mo"

    @Test(
        "a server with translated messages is understood",
        .enabled(if: FileManager.default.fileExists(atPath: translations)))
    func translated() async throws {
        let folder = try TemporaryDirectory.forSockets()
        let made = try await Program.run(
            "/usr/bin/localedef", ["-i", "de_DE", "-f", "UTF-8", folder.file("de_DE.UTF-8")],
            environment: ["PATH": "/usr/bin:/bin"])
        try #require(made.status == 0, "\(made.errors)")
        // The server's user must be able to read it.
        chmod(folder.path, 0o755)
        let server = try await PostgreSQLServer(locales: folder.path)
        try await server.query("ALTER SYSTEM SET lc_messages = 'de_DE.UTF-8'", in: "postgres")
        try await server.query("SELECT pg_reload_conf()", in: "postgres")
        try await eventually { try await server.query("SHOW lc_messages", in: "postgres") == "de_DE.UTF-8\n" }
        let missing = server.address(of: "missing")

        let error = await #expect(throws: DatabaseError.self) {
            try await Database.open(ServerFixture.driver(missing), migrations: [])
        }

        #expect(
            error?.code == .cannotOpen && error?.message.contains("existiert nicht") == true, "\(error?.message ?? "")")
    }

    @Test("settings in the address that the server does not know are refused", arguments: ["nonsense", "work_mem"])
    func options(_ name: String) async throws {
        let address = try await PostgreSQLServer.running().createDatabase() + "&options=-c%20\(name)%3Dx"
        let error = await #expect(throws: DatabaseError.self) {
            try await Database.open(ServerFixture.driver(address), migrations: ServerFixture.migrations)
        }
        let message = error?.message ?? ""
        #expect(error?.code == .cannotOpen && message.contains("correct 'options' in the address"), "\(message)")
    }

    @Test("a role that may not create tables, and one without a connection left, get the remedy")
    func limitedRoles() async throws {
        let server = try await PostgreSQLServer.running()
        let address = try await server.createDatabase()
        let name = PostgreSQLServer.name(ofDatabaseAt: address)
        try await server.query("CREATE ROLE guest_\(name) LOGIN", in: name)
        try await server.query("CREATE ROLE full_\(name) LOGIN CONNECTION LIMIT 0", in: name)

        for (role, code, remedy) in [
            ("guest", DatabaseError.Code.cannotOpen, "make the role the owner of the database"),
            ("full", .unavailable, "raise 'max_connections' or the role's limit"),
        ] {
            let limited = address.replacing("latchd@/", with: "\(role)_\(name)@/")
            let error = await #expect(throws: DatabaseError.self) {
                try await Database.open(ServerFixture.driver(limited), migrations: ServerFixture.migrations)
            }
            #expect(
                error?.code == code && error?.message.contains(remedy) == true,
                "\(error?.message ?? "")")
        }
    }

    @Test("a database of another encoding than UTF8 is refused, with the remedy")
    func encoding() async throws {
        let server = try await PostgreSQLServer.running()
        let name = PostgreSQLServer.name(ofDatabaseAt: try await server.createDatabase()) + "_latin1"
        try await server.query(
            "CREATE DATABASE \(name) ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0", in: "postgres")
        let error = await #expect(throws: DatabaseError.self) {
            try await Database.open(
                ServerFixture.driver(server.address(of: name)), migrations: ServerFixture.migrations)
        }
        #expect(error?.code == .cannotOpen && error?.message.contains("ENCODING 'UTF8'") == true)
    }
}
