import Database
import FoundationEssentials
import TestSupport
import Testing

@Suite("Damaged, foreign and newer files", .timeLimit(.minutes(20)))
struct BrokenFileTests {
    private static func open(_ folder: Folder) async throws -> Database {
        try await Database.open(DatabaseFixture.configuration(folder.database), migrations: DatabaseFixture.migrations)
    }

    private func openingError(_ folder: Folder) async throws -> DatabaseError {
        let error = try await #require(throws: DatabaseError.self) { _ = try await Self.open(folder) }
        #expect(error.message.contains("'\(folder.database)'") && error.message.hasSuffix("."))
        return error
    }

    /// A closed database file with rows of about 1 KB.
    private func filled(rows: Int) async throws -> Folder {
        let fixture = try await DatabaseFixture()
        try await fixture.database.write { connection in
            for id in 0..<rows { try connection.run(DatabaseFixture.insert, id, String(repeating: "x", count: 1000)) }
        }
        await fixture.database.close()
        return fixture.folder
    }

    @Test("a text file is refused as a database, and stays unchanged")
    func textFile() async throws {
        let folder = try Folder()
        let text = [UInt8](String(repeating: "Dear diary, ", count: 100).utf8)
        try folder.write(text)
        let error = try await openingError(folder)
        #expect(error.code == .notADatabase && error.message.contains("not an SQLite database"))
        #expect(try folder.bytes() == text)
    }

    @Test("an empty file becomes a database")
    func emptyFile() async throws {
        let folder = try Folder()
        try folder.write([])
        let database = try await Self.open(folder)
        #expect(try await database.read { try $0.all(DatabaseFixture.ids) } == [])
    }

    @Test(
        "another program's database is refused and stays unchanged",
        arguments: [
            "CREATE TABLE urls (id)", "CREATE TABLE urls (id); PRAGMA application_id = 7", "PRAGMA user_version = 1",
        ])
    func otherProgramsDatabase(sql: String) async throws {
        let folder = try Folder()
        try RawConnection(folder.database).run(sql)
        let before = try folder.bytes()
        let error = try await openingError(folder)
        #expect(error.code == .notADatabase && error.message.contains("another program"))
        #expect(try folder.bytes() == before)
    }

    @Test("a file of a newer program is refused with both versions, and stays unchanged")
    func newer() async throws {
        let folder = try await filled(rows: 1)
        try RawConnection(folder.database).run("PRAGMA user_version = 9")
        let before = try folder.bytes()
        let error = try await openingError(folder)
        #expect(error.code == .newerThanProgram)
        #expect(error.message.contains("version 9") && error.message.contains("up to 1"))
        #expect(try folder.bytes() == before)
    }

    @Test("a damaged page of a small file is detected on opening")
    func smallDamaged() async throws {
        let folder = try await filled(rows: 20)
        var bytes = try folder.bytes()
        for index in 4096..<4196 { bytes[index] ^= 0xFF }
        try folder.write(bytes)
        let error = try await openingError(folder)
        #expect(error.code == .corrupt && error.message.contains("damaged"))
    }

    @Test("a truncated file is detected on opening")
    func truncated() async throws {
        let folder = try await filled(rows: 20)
        try folder.write(Array(try folder.bytes().dropLast(8192)))
        #expect(try await openingError(folder).code == .corrupt)
    }

    @Test("a damaged page of a large file is reported when it is read, and other pages can still be read")
    func largeDamaged() async throws {
        let folder = try await filled(rows: 2000)
        var bytes = try folder.bytes()
        let middle = bytes.count / 4096 / 2 * 4096
        for index in middle..<(middle + 100) { bytes[index] ^= 0xFF }
        try folder.write(bytes)

        let database = try await Self.open(folder)
        let length = Statement("SELECT sum(length(name)) FROM items") { row throws(DatabaseError) in
            try row.get(0) as Int
        }
        let error = try await #require(throws: DatabaseError.self) {
            _ = try await database.read { try $0.first(length) }
        }
        #expect(error.code == .corrupt && error.message.contains("'\(folder.database)'"))
        #expect(try await database.read { try $0.first(Statement("SELECT 1 FROM items WHERE id = 0")) } != nil)
    }

    @Test("no flipped byte in the header or the schema page traps or gives wrong content")
    func flippedBytes() async throws {
        let folder = try await filled(rows: 1)
        let complete = try folder.bytes()
        let positions = Array(0..<108) + Array(stride(from: 3900, to: 4096, by: 4))
        let expected: Set<DatabaseError.Code> = [
            .corrupt, .notADatabase, .newerThanProgram, .cannotOpen, .other, .readOnly,
        ]
        for position in positions {
            var bytes = complete
            bytes[position] ^= 0xFF
            try folder.write(bytes)
            do {
                await (try Self.open(folder)).close()
            } catch let error as DatabaseError {
                #expect(expected.contains(error.code), "byte \(position): \(error)")
            }
        }
    }

    @Test("a folder, a path below a file, an empty path and a NUL are refused as database paths")
    func invalidPaths() async throws {
        let folder = try Folder()
        try folder.write([])
        for path in [folder.path, folder.database + "/x/y.db", "", "a\0b"] {
            let error = try await #require(throws: DatabaseError.self) {
                _ = try await Database.open(DatabaseFixture.configuration(path), migrations: DatabaseFixture.migrations)
            }
            #expect(error.code == .cannotOpen && error.message.contains("'\(path)'"), "\(error)")
        }
    }

    @Test("a file that is moved or replaced while it is open is reported, and works again when it is restored")
    func moved() async throws {
        let fixture = try await DatabaseFixture()
        let other = fixture.folder.path + "/elsewhere.db"
        try FileManager.default.moveItem(atPath: fixture.folder.database, toPath: other)
        for replacement in [nil, [] as [UInt8]?] {
            if let replacement { try fixture.folder.write(replacement) }
            let errors = [
                await failure(
                    Task { try await fixture.database.write { _ = try $0.run(DatabaseFixture.insert, 1, "n") } }),
                await failure(Task { _ = try await fixture.ids() }),
            ]
            for error in errors {
                #expect(error?.code == .moved && error?.message.contains("moved, replaced or deleted") == true)
            }
        }
        try FileManager.default.removeItem(atPath: fixture.folder.database)
        try FileManager.default.moveItem(atPath: other, toPath: fixture.folder.database)
        try await fixture.database.write { _ = try $0.run(DatabaseFixture.insert, 2, "n") }
        #expect(try await fixture.ids() == [2])
    }

    @Test("file, log, shared memory and a created folder are accessible only to their owner")
    func modes() async throws {
        let folder = try Folder()
        let path = folder.path + "/a/b/shelf.db"
        let database = try await Database.open(
            DatabaseFixture.configuration(path), migrations: DatabaseFixture.migrations)
        try await database.write { _ = try $0.run(DatabaseFixture.insert, 1, "n") }
        for name in ["a/b/shelf.db", "a/b/shelf.db-wal", "a/b/shelf.db-shm"] {
            #expect(try folder.mode(name) == 0o600, "\(name)")
        }
        #expect(try folder.mode("a") == 0o700 && folder.mode("a/b") == 0o700)
    }
}
