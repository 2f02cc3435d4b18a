import Foundation
import HTTPMessages
import TestSupport
import Testing

/// `latchd database` as an operator types it, with good and bad input.
@Suite("Commands of the database", .blocking, .inTurn, .timeLimit(.minutes(20)))
struct DatabaseCommandsTests {
    private static let limits = [
        "LATCHD_PASSWORDS_ARGON2_MEMORY": "8KiB", "LATCHD_GUARDS_ADDRESS_ATTEMPTS": "1000000",
        "LATCHD_GUARDS_ACCOUNT_ATTEMPTS": "1000000", "LATCHD_GUARDS_GENERAL_REQUESTS": "1000000",
        "LATCHD_SESSIONS_MAXIMUM_PER_PERSON": "10000",
    ]

    @Test(arguments: ["SQLite", "PostgreSQL"])
    func `a backup beside a busy gateway has every sign-in from before it, and is restored elsewhere`(
        product: String
    ) async throws {
        let base = try SystemFixture(Self.limits)
        let path = base.folder.file("backup.db")
        let isServer = product == "PostgreSQL"
        let fixture = base.with(
            database: isServer
                ? try await PostgreSQLServer.running().createDatabase() : base.folder.file("first/latchd.db"))
        let gateway = try await fixture.startGateway()
        let people = try await fixture.add("ada", "ben")
        let known = await CrashClient.run(
            people[0], knowing: KnownTokens(), SeededRandom(seed: 1), port: gateway.port
        ) { for _ in 0..<3 { try $0.signIn() } }
        #expect(known.live.count == 3 && known.violations == [])

        let load = Task {
            await CrashClient.run(
                people[1], knowing: KnownTokens(), SeededRandom(seed: 2), port: gateway.port, isKilled: true
            ) { client in while true { try client.signIn() } }
        }
        try await eventually { try await fixture.stored("sessions") ?? 0 > 3 }
        let backup = try await fixture.latchd("database", "backup", path)
        #expect(backup.output.hasPrefix("Wrote '\(path)': "), "\(backup)")
        await gateway.kill()
        #expect(await load.cancellableValue.violations == [])

        let other = base.with(database: base.folder.file("other/latchd.db"))
        let restored = try await other.latchd("database", "restore", path)
        #expect(restored.output.hasPrefix("Restored and compared: "), "\(restored)")
        let second = try await other.startGateway()
        let found = await CrashClient.run(people[0], knowing: known, SeededRandom(seed: 3), port: second.port) {
            try $0.verify(all: true)
            try $0.signIn()
        }
        #expect(found.violations == [] && found.live.count == 4)
        await second.kill()
    }

    @Test func `the status names the version, the durability, the contents and what to change`() async throws {
        let fixture = try SystemFixture()
        try await fixture.add("ada")
        let file = try await fixture.latchd("database", "status")
        #expect(file.status == 0 && file.errors == "")
        for text in ["product    SQLite 3.", " (current)\n", "contents   people: 1, ", "waits for the disk"] {
            #expect(file.output.contains(text), "\(file)")
        }
        let server = try await PostgreSQLServer.running()
        let address = try await server.createDatabase()
        let empty = try await fixture.with(database: address).latchd("database", "status")
        #expect(empty.output.contains("version    0 (no tables yet: run 'latchd database migrate'"), "\(empty)")
        #expect(empty.output.contains("ALTER SYSTEM SET idle_in_transaction_session_timeout = '10s'"), "\(empty)")
        #expect(empty.output.contains("clock      0 s ahead of this machine"), "\(empty)")
        let name = PostgreSQLServer.name(ofDatabaseAt: address)
        try await server.query("ALTER DATABASE \(name) SET idle_in_transaction_session_timeout = '10s'", in: name)
        let migrated = try await fixture.with(database: address).latchd("database", "migrate")
        #expect(migrated.output.contains("now has the tables, of version"), "\(migrated)")
        let again = try await fixture.with(database: address).latchd("database", "migrate")
        #expect(again.output.contains("already has the tables of version"), "\(again)")
        let status = try await fixture.with(database: address).latchd("database", "status", "--json").json()
        #expect(status["warnings"]?.array == [] && status["people"]?.integer == 0)
    }

    @Test func `a terminal shows how far a copy, a backup and a restoration are, and nothing else does`() async throws {
        let fixture = try SystemFixture()
        try await fixture.add("ada", "ben")
        let path = fixture.folder.file
        func show(_ words: [String], database: String? = nil, term: String = "xterm") throws -> String {
            let environment = database.map { fixture.with(database: $0).environment } ?? fixture.environment
            let terminal = try PseudoTerminal(
                Products.path("latchd"), ["database"] + words, environment: environment.merging(["TERM": term]) { $1 })
            #expect(try terminal.end() == 0, "\(terminal.screen)")
            return terminal.screen
        }
        let copy = try show(["copy", "--to", path("copy.db")])
        let backup = try show(["backup", path("backup.db")])
        let restoration = try show(["restore", path("backup.db")], database: path("restored.db"))
        for (screen, result) in [
            (copy, "Copied and compared: "), (backup, "Wrote '\(path("backup.db"))': "),
            (restoration, "Restored and compared: "),
        ] {
            for line in ["Copying people, rows: 2", "Copying sessions, rows: 0", "Comparing people, rows: 0"] {
                #expect(screen.contains("\r\u{1B}[K\(line)\r\u{1B}[K"), "\(screen)")
            }
            #expect(screen.contains("\r\u{1B}[K\(result)"), "\(screen)")
        }
        #expect(restoration.hasPrefix("\r\u{1B}[KCopying the backup\r\u{1B}[K"), "\(restoration)")
        #expect(try show(["copy", "--to", path("dumb.db")], term: "dumb").hasPrefix("Copied and compared: "))
        let piped = try await fixture.latchd("database", "copy", "--to", path("piped.db"))
        #expect(piped.status == 0 && piped.errors == "" && piped.output.hasPrefix("Copied and compared: "), "\(piped)")
    }

    /// What an operator typed wrongly, the exit code, and what the message must have.
    struct Mistake: Sendable, CustomTestStringConvertible {
        let arguments: String
        var database = "good.db"
        let status: Int32
        let text: String
        var testDescription: String { "\(arguments) on \(database)" }
    }

    private static let mistakes = [
        Mistake(arguments: "status", database: "none.db", status: 66, text: "there is no file"),
        Mistake(arguments: "status", database: "folder", status: 74, text: "it is a folder; name a file in it"),
        Mistake(arguments: "status", database: "text", status: 74, text: "it is not an SQLite database"),
        Mistake(arguments: "status", database: "foreign.db", status: 74, text: "of another program"),
        Mistake(arguments: "status", database: "SERVER/none", status: 74, text: "database \"none\" does not exist"),
        Mistake(arguments: "status", database: "NOWHERE", status: 69, text: "check that it runs"),
        Mistake(arguments: "migrate", database: "text", status: 74, text: "it is not an SQLite database"),
        Mistake(arguments: "migrate", database: "foreign.db", status: 74, text: "of another program"),
        Mistake(arguments: "migrate", database: "folder", status: 74, text: "it is a folder"),
        Mistake(arguments: "migrate", database: "/sys/new.db", status: 74, text: "could not be created"),
        Mistake(arguments: "migrate", database: "NOWHERE", status: 69, text: "check that it runs"),
        Mistake(arguments: "copy", status: 64, text: "name it with '--to DATABASE'"),
        Mistake(arguments: "copy --to good.db", status: 64, text: "the configured database itself"),
        Mistake(arguments: "copy --to other.db", status: 74, text: "already has other rows"),
        Mistake(arguments: "copy --to folder", status: 74, text: "it is a folder"),
        Mistake(arguments: "copy --to text", status: 74, text: "it is not an SQLite database"),
        Mistake(arguments: "copy --to foreign.db", status: 74, text: "other users may read or write"),
        Mistake(arguments: "copy --to mysql://a:s3cr3t@b/c", status: 74, text: "neither a path nor an address"),
        Mistake(arguments: "copy --to NOWHERE", status: 69, text: "check that it runs"),
        Mistake(arguments: "copy --to missing/new.db", status: 66, text: "there is no folder"),
        Mistake(arguments: "copy --to new.db", database: "none.db", status: 66, text: "there is no file"),
        Mistake(arguments: "backup new.db", database: "none.db", status: 66, text: "there is no file"),
        Mistake(arguments: "backup other.db", status: 74, text: "it exists already; name a new file"),
        Mistake(arguments: "backup folder", status: 74, text: "it exists already; name a new file"),
        Mistake(arguments: "backup dangling", status: 74, text: "this is a symbolic link; name a new file"),
        Mistake(arguments: "backup missing/new.db", status: 74, text: "check that it exists"),
        Mistake(arguments: "backup text/new.db", status: 74, text: "that it is a folder"),
        Mistake(arguments: "backup /sys/new.db", status: 74, text: "may write to it"),
        Mistake(arguments: "backup new.db/", status: 74, text: "this is not the path of a file"),
        Mistake(arguments: "restore none.db", database: "new.db", status: 74, text: "No such file"),
        Mistake(arguments: "restore folder", database: "new.db", status: 74, text: "it is not a regular file"),
        Mistake(arguments: "restore text", database: "new.db", status: 74, text: "it is not a backup"),
        Mistake(arguments: "restore empty", database: "new.db", status: 74, text: "it is not a backup"),
        Mistake(arguments: "restore foreign.db", database: "new.db", status: 74, text: "it is not a backup"),
        Mistake(arguments: "restore other.db", status: 74, text: "already has other rows"),
        Mistake(arguments: "restore other.db", database: "/sys/new.db", status: 74, text: "may write to it"),
        Mistake(arguments: "restore other.db", database: "SERVER/none", status: 74, text: "does not exist"),
    ]

    @Test func `each mistake is answered in one sentence with a remedy, and changes nothing`() async throws {
        let fixture = try SystemFixture()
        let folder = fixture.folder
        for name in ["good", "other"] { try await fixture.with(database: folder.file("\(name).db")).add(name) }
        try folder.write("no database", to: "text")
        try folder.write("", to: "empty")
        try FileManager.default.createDirectory(atPath: folder.file("folder"), withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(atPath: folder.file("dangling"), withDestinationPath: "nowhere")
        let made = try await Program.run(
            "python3",
            ["-c", "import sqlite3, sys; sqlite3.connect(sys.argv[1]).execute('CREATE TABLE a (b)')"]
                + [folder.file("foreign.db")])
        #expect(made.status == 0, "\(made.errors)")
        let server = try await PostgreSQLServer.running()
        func place(_ word: Substring) -> String {
            switch word {
            case "NOWHERE": "postgresql://latchd@/latchd?host=\(folder.path)"
            case "SERVER/none": server.address(of: "none")
            case _ where word.contains(".db") || FileManager.default.fileExists(atPath: folder.file("\(word)")):
                word.hasPrefix("/") ? "\(word)" : folder.file("\(word)")
            default: word == "dangling" ? folder.file("dangling") : "\(word)"
            }
        }
        let before = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()

        for mistake in Self.mistakes {
            let arguments = ["database"] + mistake.arguments.split(separator: " ").map(place)
            let result = try await fixture.with(database: place(mistake.database[...])).latchd(arguments)
            #expect(result.status == mistake.status && result.output == "", "\(mistake): \(result)")
            let isSentence =
                result.errors.hasPrefix("latchd: Could not ") && result.errors.hasSuffix(".\n")
                && result.errors.contains("; ") && result.errors.split(separator: "\n").count == 1
            #expect(isSentence && result.errors.contains(mistake.text), "\(mistake): \(result.errors)")
            #expect(!result.errors.contains("s3cr3t") && !result.errors.contains("bug"), "\(result.errors)")
        }
        let after = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        #expect(after == before)
    }
}
