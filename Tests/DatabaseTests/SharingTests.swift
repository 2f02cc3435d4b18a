import CLibrary
import Database
import TestSupport
import Testing

@Suite("Several programs on one file", .timeLimit(.minutes(20)))
struct SharingTests {
    private static let raise = Statement("UPDATE items SET name = CAST(name AS INTEGER) + 1 WHERE id = 1")

    @Test("a lock of another program is reported with the path, and no statement has run")
    func lockedWrite() async throws {
        let fixture = try await DatabaseFixture()
        let other = try RawConnection(fixture.folder.database)
        try other.run("BEGIN EXCLUSIVE")

        let writes = (0..<3).map { id in fixture.database.queue { try $0.run(DatabaseFixture.insert, id, "n") } }
        for write in writes {
            let error = try #require(await failure(write))
            #expect(error.code == .locked)
            #expect(error.message.contains("'\(fixture.folder.database)'") && error.message.contains("another program"))
        }
        #expect(try await fixture.ids() == [])

        try other.run("COMMIT")
        try await fixture.database.write { _ = try $0.run(DatabaseFixture.insert, 7, "n") }
        #expect(try await fixture.ids() == [7])
    }

    @Test("a file that another program locks exclusively cannot be opened until it is released")
    func lockedOpening() async throws {
        let fixture = try await DatabaseFixture()
        await fixture.database.close()
        var other: RawConnection? = try RawConnection(fixture.folder.database)
        try other?.run("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; INSERT INTO items VALUES (1, 'n'); COMMIT")

        let configuration = DatabaseFixture.configuration(fixture.folder.database)
        let error = try await #require(throws: DatabaseError.self) {
            _ = try await Database.open(configuration, migrations: DatabaseFixture.migrations)
        }
        #expect(error.code == .locked && error.message.contains("'\(fixture.folder.database)'"))

        other = nil
        let database = try await Database.open(configuration, migrations: DatabaseFixture.migrations)
        #expect(try await database.read { try $0.all(DatabaseFixture.ids) } == [1])
    }

    @Test("a lock that is released within the busy time-out only causes a wait")
    func shortLock() async throws {
        let fixture = try await DatabaseFixture(busyTimeout: SuccessTimeout.duration)
        let other = try RawConnection(fixture.folder.database)
        try other.run("BEGIN IMMEDIATE; INSERT INTO items VALUES (1, 'n')")
        let write = fixture.database.queue { try $0.run(DatabaseFixture.insert, 2, "n") }
        #expect(try await fixture.ids() == [])
        try other.run("COMMIT")
        #expect(try await write.cancellableValue == 1)
        #expect(try await fixture.ids() == [1, 2])
    }

    @Test("another process waits, gets an error about the lock, and its commit is noticed here")
    func anotherProcess() async throws {
        let fixture = try await DatabaseFixture()
        let path = fixture.folder.database
        let gate = Gate()
        let slow = await gate.hold(fixture.database)
        await #expect(processExitsWith: .success) { [path = path as String] in
            let database = try await Database.open(
                DatabaseFixture.configuration(path), migrations: DatabaseFixture.migrations)
            let write = database.queue { try $0.run(DatabaseFixture.insert, 1, "n") }
            try #require(await failure(write)?.code == .locked)
        }
        gate.open()
        try await slow.cancellableValue

        await #expect(processExitsWith: .success) { [path = path as String] in
            let database = try await Database.open(
                DatabaseFixture.configuration(path), migrations: DatabaseFixture.migrations)
            try await database.write { _ = try $0.run(DatabaseFixture.insert, 2, "n") }
            // No farewell: what was answered is there all the same.
            _exit(0)
        }
        #expect(try await fixture.ids() == [2])
        #expect(try await fixture.database.changedByOthers())
    }

    @Test("no write is lost if two programs write concurrently")
    func noLostUpdates() async throws {
        let fixture = try await DatabaseFixture(busyTimeout: SuccessTimeout.duration)
        let second = try await Database.open(
            DatabaseFixture.configuration(fixture.folder.database, .seconds(30)), migrations: DatabaseFixture.migrations
        )
        try await fixture.database.write { _ = try $0.run(DatabaseFixture.insert, 1, "0") }
        try await withThrowingTaskGroup { group in
            for database in [fixture.database, second] {
                for _ in 0..<100 {
                    group.addTask { try await database.write { _ = try $0.run(Self.raise) } }
                }
            }
            try await group.waitForAll()
        }
        #expect(try RawConnection(fixture.folder.database).number("SELECT name FROM items") == 200)
    }

    @Test("a commit of another program is noticed once, and its own commits are never noticed")
    func externalChanges() async throws {
        let fixture = try await DatabaseFixture()
        #expect(try await !fixture.database.changedByOthers())
        try await fixture.database.write { _ = try $0.run(DatabaseFixture.insert, 1, "n") }
        #expect(try await !fixture.database.changedByOthers())

        try RawConnection(fixture.folder.database).run("INSERT INTO items VALUES (2, 'n')")
        try await fixture.database.write { _ = try $0.run(DatabaseFixture.insert, 3, "n") }
        #expect(try await fixture.database.changedByOthers())
        #expect(try await !fixture.database.changedByOthers())
    }

    @Test("a checkpoint leaves an empty log, unless a read is running")
    func checkpoint() async throws {
        let fixture = try await DatabaseFixture()
        try await fixture.database.write { _ = try $0.run(DatabaseFixture.insert, 1, "n") }
        let reader = try RawConnection(fixture.folder.database)
        try reader.run("BEGIN; SELECT * FROM items")
        try await fixture.database.write { _ = try $0.run(DatabaseFixture.insert, 2, "n") }
        #expect(try await !fixture.database.checkpoint())

        try reader.run("COMMIT")
        #expect(try await fixture.database.checkpoint())
        #expect(try fixture.folder.size("shelf.db-wal") == 0)
    }
}
