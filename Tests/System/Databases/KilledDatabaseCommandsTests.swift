import Foundation
import TestSupport
import Testing

/// `latchd database copy`, `backup` and `restore` while they are killed in the middle: while they wait for a table that
/// another program has locked.
@Suite("Killed commands of the database", .blocking, .inTurn, .timeLimit(.minutes(20)))
struct KilledDatabaseCommandsTests {
    private let fixture: SystemFixture
    private let server: PostgreSQLServer

    init() async throws {
        fixture = try SystemFixture()
        server = try await PostgreSQLServer.running()
    }

    /// Runs a command, kills it while it waits for `sessions`, and unlocks the table.
    private func kill(_ mode: String, at address: String, _ start: () throws -> RunningProgram) async throws {
        let table = try await HeldTable("sessions", mode, at: address, of: server)
        let command = try start()
        try await table.waitForWaiter()
        command.send(SIGKILL)
        #expect(await command.waitForExit() == 128 + SIGKILL)
        try await table.release()
    }

    /// The names of the files in the folder with these characters.
    private func files(containing text: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: fixture.folder.path).filter { $0.contains(text) }
    }

    @Test func `a killed copy leaves the target empty and can be repeated, to PostgreSQL and back`() async throws {
        let people = try await fixture.add("ada", "ben")
        let address = try await server.createDatabase()
        let middle = fixture.with(database: address)
        #expect(try await middle.latchd("database", "migrate").status == 0)

        try await kill("SHARE", at: address) { try fixture.begin("database", "copy", "--to", address) }
        #expect(try await middle.stored("people") == 0)
        let copied = try await fixture.latchd("database", "copy", "--to", address)
        #expect(copied.output.hasPrefix("Copied and compared: "), "\(copied)")
        let repeated = try await fixture.latchd("database", "copy", "--to", address)
        #expect(repeated.output.hasPrefix("The target already has the same rows: "), "\(repeated)")

        let end = fixture.with(database: fixture.folder.file("end.db"))
        try await kill("ACCESS EXCLUSIVE", at: address) {
            try middle.begin("database", "copy", "--to", fixture.folder.file("end.db"))
        }
        #expect(try await end.stored("people") == 0)
        let back = try await middle.latchd("database", "copy", "--to", fixture.folder.file("end.db"))
        #expect(back.output.hasPrefix("Copied and compared: "), "\(back)")
        #expect(try await end.latchd("user", "list", "--emails").output == people.map { $0 + "\n" }.joined())
    }

    @Test func `a killed backup leaves one folder, which the next one removes; no backup replaces a file`() async throws
    {
        let address = try await server.createDatabase()
        let source = fixture.with(database: address)
        try await source.add("ada")
        let path = fixture.folder.file("backup.db")
        try fixture.folder.write("of another program", to: "backup.db.part")

        try await kill("ACCESS EXCLUSIVE", at: address) { try source.begin("database", "backup", path) }
        let left = try files(containing: "backup").filter { $0 != "backup.db.part" }
        #expect(left.count == 1 && left.allSatisfy { $0.hasPrefix("backup.db.") && $0.hasSuffix(".part") })

        let table = try await HeldTable("sessions", "ACCESS EXCLUSIVE", at: address, of: server)
        let late = try source.begin("database", "backup", path)
        try await table.waitForWaiter()
        try fixture.folder.write("of another program", to: "backup.db")
        try await table.release()
        #expect(await late.waitForExit() == 74)
        #expect(late.output.contains("it exists already; name a new file."), "\(late.output)")
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "of another program")
        try FileManager.default.removeItem(atPath: path)

        let both = [try source.begin("database", "backup", path), try source.begin("database", "backup", path)]
        let statuses = [await both[0].waitForExit(), await both[1].waitForExit()]
        #expect(statuses.sorted() == [0, 74], "\(both.map(\.output))")
        #expect(try files(containing: "backup").sorted() == ["backup.db", "backup.db.part"])
    }

    @Test func `a killed restore leaves its copy only beside the backup, and the next one removes it`() async throws {
        try await fixture.add("ada")
        let path = fixture.folder.file("backup.db")
        #expect(try await fixture.latchd("database", "backup", path).status == 0)
        let address = try await server.createDatabase()
        let temporary = fixture.folder.file("temporary")
        try FileManager.default.createDirectory(atPath: temporary, withIntermediateDirectories: false)
        let target = SystemFixture(sharing: fixture.with(database: address), ["TMPDIR": temporary])
        #expect(try await target.latchd("database", "migrate").status == 0)

        try await kill("SHARE", at: address) { try target.begin("database", "restore", path) }
        let left = try #require(try files(containing: ".restore.").first)
        let attributes = try FileManager.default.attributesOfItem(atPath: fixture.folder.file(left))
        #expect(left.hasSuffix(".part") && attributes[.posixPermissions] as? Int == 0o700)
        #expect(try FileManager.default.contentsOfDirectory(atPath: temporary) == [])

        let restored = try await target.latchd("database", "restore", path)
        #expect(restored.output.hasPrefix("Restored and compared: "), "\(restored)")
        #expect(try files(containing: ".restore.") == [])
        #expect(try await target.stored("people") == 1)
    }
}
