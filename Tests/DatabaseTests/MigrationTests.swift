import Database
import TestSupport
import Testing

@Suite("Migrations", .timeLimit(.minutes(20)))
struct MigrationTests {
    private static let steps = [
        Migration(to: 1, named: "people", "CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT) STRICT;"),
        Migration(
            to: 2, named: "cards",
            """
            CREATE TABLE cards (person INTEGER NOT NULL REFERENCES people (id)) STRICT;
            INSERT INTO people VALUES (1, 'Ada');
            INSERT INTO cards VALUES (1);
            """),
        Migration(
            to: 5, named: "people rebuilt with a mail address",
            """
            CREATE TABLE rebuilt (id INTEGER PRIMARY KEY, name TEXT, mail TEXT) STRICT;
            INSERT INTO rebuilt (id, name) SELECT id, name FROM people;
            DROP TABLE people;
            ALTER TABLE rebuilt RENAME TO people;
            """),
    ]
    private static let names = Statement("SELECT name FROM people JOIN cards ON person = id WHERE mail IS NULL") {
        row throws(DatabaseError) in try row.get(0) as String
    }

    private func open(_ folder: Folder, _ migrations: [Migration]) async throws -> Database {
        try await Database.open(DatabaseFixture.configuration(folder.database, .seconds(5)), migrations: migrations)
    }

    private func version(_ folder: Folder) throws -> Int {
        try RawConnection(folder.database).number("PRAGMA user_version")
    }

    @Test("every older version is migrated to the newest with its rows", arguments: 0...3)
    func fromEachVersion(known: Int) async throws {
        let folder = try Folder()
        await (try open(folder, Array(Self.steps.prefix(known)))).close()
        #expect(try version(folder) == [0, 1, 2, 5][known])

        let database = try await open(folder, Self.steps)
        #expect(try version(folder) == 5)
        #expect(try await database.read { try $0.all(Self.names) } == ["Ada"])
    }

    @Test("programs that open one file at the same time run each step once")
    func concurrentMigrations() async throws {
        for _ in 0..<5 {
            let folder = try Folder()
            try await withThrowingTaskGroup { group in
                for _ in 0..<6 {
                    group.addTask {
                        let database = try await open(folder, Self.steps)
                        #expect(try await database.read { try $0.all(Self.names) } == ["Ada"])
                        await database.close()
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test(
        "a failed step is named, and the file keeps its version, also after earlier steps",
        arguments: [
            "INSERT INTO people VALUES (2, 'Bob', NULL); CREATE TABLE people (id);",
            "INSERT INTO people VALUES (2, 'Bob', NULL); DELETE FROM people WHERE id = 1;",
            "INSERT INTO people VALUES (2, 'Bob', NULL); COMMIT;",
            "INSERT INTO people VALUES (2, 'Bob', NULL); INSERT OR ROLLBACK INTO people VALUES (1, 'Eve', NULL);",
        ])
    func failedStep(sql: String) async throws {
        let folder = try Folder()
        await (try open(folder, Self.steps)).close()
        let good = Migration(to: 6, named: "a good one", "INSERT INTO people VALUES (3, 'Cy', NULL);")
        let error = try await #require(throws: DatabaseError.self) {
            _ = try await open(folder, Self.steps + [good, Migration(to: 7, named: "the bad one", sql)])
        }
        #expect(error.message.contains("version 7 (the bad one)") && error.message.contains("'\(folder.database)'"))
        #expect(try version(folder) == 5)

        let database = try await open(folder, Self.steps)
        let count = Statement("SELECT count(*) FROM people") { row throws(DatabaseError) in try row.get(0) as Int }
        #expect(try await database.read { try $0.first(count) } == 1)
    }

    @Test("steps out of order stop the program at once")
    func order() async {
        await #expect(processExitsWith: .failure) {
            let steps = [Migration(to: 2, named: "b", "SELECT 1"), Migration(to: 1, named: "a", "SELECT 1")]
            _ = try? await Database.open(.inMemory(applicationID: 1), migrations: steps)
        }
    }

    // MARK: - The tables of another module

    private static let shared = [Migration(to: 1, named: "the versions of modules", ModuleSchema.versionsTable)]
    private static let notes = [
        Migration(to: 3, named: "notes", "CREATE TABLE notes (text TEXT NOT NULL) STRICT;"),
        Migration(to: 5, named: "a note", "INSERT INTO notes VALUES ('one');"),
    ]
    private static let texts = Statement("SELECT text FROM notes") { row throws(DatabaseError) in
        try row.get(0) as String
    }
    private static let versions = Statement("SELECT module, version FROM module_versions WHERE module <> 'file'") {
        row throws(DatabaseError) in "\(try row.get(0) as String) \(try row.get(1) as Int)"
    }

    @Test("each program migrates a module's tables, from every version, and once", arguments: 0...2)
    func module(known: Int) async throws {
        let folder = try Folder()
        let earlier = try await open(folder, Self.shared)
        if known > 0 {
            try await earlier.migrate(ModuleSchema("notes", migrations: Array(Self.notes.prefix(known))))
        }
        await earlier.close()
        try await withThrowingTaskGroup { group in
            for _ in 0..<4 {
                group.addTask {
                    let database = try await open(folder, Self.shared)
                    for _ in 0..<2 { try await database.migrate(ModuleSchema("notes", migrations: Self.notes)) }
                    #expect(try await database.read { try $0.all(Self.texts) } == ["one"])
                    #expect(try await database.read { try $0.all(Self.versions) } == ["notes 5"])
                    await database.close()
                }
            }
            try await group.waitForAll()
        }
        #expect(try version(folder) == 1)
    }

    @Test("tables from before the versions of modules are migrated from the version that they have")
    func unrecordedModule() async throws {
        let folder = try Folder()
        await (try open(folder, [Self.notes[0]])).close()
        let database = try await open(folder, [Migration(to: 4, named: "versions", ModuleSchema.versionsTable)])
        try await database.migrate(ModuleSchema("notes", migrations: Self.notes, continuesFile: true))
        #expect(try await database.read { try $0.all(Self.texts) } == ["one"])
        await database.close()
    }

    @Test("a module's migration that fails changes nothing, and tables of a newer program are refused")
    func failingModule() async throws {
        let folder = try Folder()
        let database = try await open(folder, Self.shared)
        let failing = Self.notes + [Migration(to: 6, named: "the bad one", "CREATE TABLE notes (text TEXT) STRICT;")]
        let error = try await #require(throws: DatabaseError.self) {
            try await database.migrate(ModuleSchema("notes", migrations: failing))
        }
        #expect(error.message.contains("version 6 (the bad one)"))
        #expect(try await database.read { try $0.all(Self.versions) }.isEmpty)

        try await database.migrate(ModuleSchema("notes", migrations: Self.notes))
        await database.close()
        let older = try await open(folder, Self.shared)
        let refusal = try await #require(throws: DatabaseError.self) {
            try await older.migrate(ModuleSchema("notes", migrations: [Self.notes[0]]))
        }
        #expect(refusal.code == .newerThanProgram && refusal.message.contains("'notes' to version 5"))
        await older.close()
    }
}
