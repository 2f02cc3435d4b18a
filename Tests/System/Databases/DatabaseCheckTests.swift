import Foundation
import TestSupport
import Testing

/// What `latchd check` reports about the database, which it must not change.
@Suite("Check of the database", .blocking, .inTurn, .timeLimit(.minutes(20)))
struct DatabaseCheckTests {
    private let fixture: SystemFixture
    private var folder: TemporaryDirectory { fixture.folder }

    init() throws {
        fixture = try SystemFixture()
    }

    /// Runs `latchd check`. Expects that only a usable database gives exit code 0, and otherwise one sentence.
    private func check(_ database: String, status: Int32 = 0, _ text: String) async throws {
        let result = try await fixture.with(database: database).latchd("check")
        #expect(result.status == status, "\(result)")
        #expect(result.output.hasPrefix("The configuration is valid"), "\(result)")
        if status == 0 {
            #expect(result.output.contains("  database     \(database) (") && result.output.contains(text), "\(result)")
        } else {
            #expect(result.output.contains("  database     \(database) (cannot be used)\n"), "\(result)")
            let lines = result.errors.split(separator: "\n")
            #expect(lines.count == 1 && result.errors.hasPrefix("latchd: Could not "), "\(result)")
            #expect(result.errors.contains(text) && result.errors.contains("; "), "\(result)")
        }
    }

    private func contents() throws -> [String: Data?] {
        let names = FileManager.default.enumerator(atPath: folder.path)?.allObjects as? [String] ?? []
        return Dictionary(
            uniqueKeysWithValues: names.map { ($0, FileManager.default.contents(atPath: folder.file($0))) })
    }

    @Test func `an SQLite file is checked and neither created nor changed`() async throws {
        for name in ["good", "newer", "partial", "older"] {
            try await fixture.with(database: folder.file("\(name).db")).add("ada")
        }
        try folder.write("no database", to: "text")
        for (name, sql) in [
            ("newer", "PRAGMA user_version = 999"), ("older", "PRAGMA user_version = 1"),
            ("partial", "DROP TABLE one_time_codes"), ("foreign", "CREATE TABLE a (b)"),
        ] {
            let changed = try await Program.run(
                "python3",
                ["-c", "import sqlite3, sys; sqlite3.connect(sys.argv[1]).executescript(sys.argv[2])"]
                    + [folder.file("\(name).db"), sql])
            #expect(changed.status == 0, "\(changed.errors)")
        }
        let before = try contents()

        try await check(folder.file("good.db"), "(SQLite 3.")
        try await check(folder.file("older.db"), "tables of version 1: 'latchd serve' migrates them to ")
        try await check(folder.file("none.db"), "(will be created)")
        try await check(folder.file("new/folder/none.db"), "(will be created)")
        try await check(folder.file("text"), status: 74, "it is not an SQLite database; choose another path")
        try await check(folder.file("text/none.db"), status: 74, "the file could not be created")
        try await check(folder.path, status: 74, "it is a folder; name a file in it")
        try await check(folder.file("foreign.db"), status: 74, "of another program")
        try await check(folder.file("newer.db"), status: 74, "to version 999, but this program supports only")
        try await check(folder.file("partial.db"), status: 74, "it lacks the tables one_time_codes; restore a backup")

        #expect(try contents() == before)
    }

    @Test(.enabled(if: getuid() == 0)) func `a file or a folder that this user may not write to is refused`()
        async throws
    {
        let open = try TemporaryDirectory.forSockets()
        let database = open.file("folder/latchd.db")
        let fixture = fixture.with(database: database)
        try await fixture.add("ada")
        func check(folder: Int, file: Int) async throws -> Program.Result {
            for (path, mode) in [(open.path, 0o755), (open.file("folder"), folder), (database, file)] {
                try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
            }
            return try await Program.run(
                "setpriv",
                ["--reuid=65534", "--regid=65534", "--clear-groups", try Products.path("latchd"), "check"],
                environment: fixture.environment.merging(["HOME": open.path, "XDG_CONFIG_HOME": open.path]) { $1 })
        }

        for (folder, file) in [(0o777, 0o444), (0o555, 0o666)] {
            let result = try await check(folder: folder, file: file)
            #expect(result.status == 74 && result.output.contains("(cannot be used)"), "\(result)")
            #expect(
                result.errors.contains("'\(database)': this user cannot write to the file or the folder"), "\(result)")
        }
        let writable = try await check(folder: 0o777, file: 0o666)
        #expect(writable.status == 0, "\(writable)")
        try FileManager.default.removeItem(atPath: database)
        try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: open.file("folder"))
        let missing = try await Program.run(
            "setpriv", ["--reuid=65534", "--regid=65534", "--clear-groups", try Products.path("latchd"), "check"],
            environment: fixture.environment.merging(["HOME": open.path, "XDG_CONFIG_HOME": open.path]) { $1 })
        #expect(missing.status == 74 && missing.errors.contains("the file could not be created"), "\(missing)")
    }

    @Test func `a database of PostgreSQL is checked and not changed`() async throws {
        let server = try await PostgreSQLServer.running()
        let address = try await server.createDatabase()
        let name = PostgreSQLServer.name(ofDatabaseAt: address)
        let tables = "SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace"
        try await server.query("CREATE ROLE guest_\(name) LOGIN", in: name)
        try await server.query(
            "CREATE DATABASE latin_\(name) ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0", in: "postgres")

        try await check(address, "no tables yet: 'latchd serve' creates them")
        let guest = address.replacing("latchd@/", with: "guest_\(name)@/")
        try await check(guest, status: 74, "its user may not create tables; make that role the owner")
        try await check(server.address(of: "latin_\(name)"), status: 74, "create it with ENCODING 'UTF8'")
        try await check(server.address(of: "no_\(name)"), status: 74, "does not exist")
        try await check("postgresql://latchd@/latchd?host=\(folder.path)", status: 69, "check that it runs")
        #expect(try await server.query(tables, in: name) == "0\n")

        #expect(try await fixture.with(database: address).latchd("database", "migrate").status == 0)
        try await check(address, "(PostgreSQL 15")
        try await server.query("UPDATE schema_version SET version = version - 1", in: name)
        try await check(address, ": 'latchd serve' migrates them to ")
        try await server.query("UPDATE schema_version SET version = version + 2", in: name)
        try await check(address, status: 74, "use the newer program")
        try await server.query(
            "UPDATE schema_version SET version = version - 1; DROP TABLE pins, one_time_codes CASCADE", in: name)
        try await check(address, status: 74, "it lacks the tables pins, one_time_codes; restore a backup")
    }
}
