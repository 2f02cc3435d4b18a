import Database
import TestSupport
import Testing

@Suite("Group commit", .timeLimit(.minutes(20)))
struct GroupCommitTests {
    private struct Refusal: Error {}
    private static let count = Statement("SELECT count(*) FROM items") { row throws(DatabaseError) in
        try row.get(0) as Int
    }

    @Test("two hundred writes that wait for a slow one share one commit")
    func sharedCommit() async throws {
        let fixture = try await DatabaseFixture()
        let gate = Gate()
        let slow = await gate.hold(fixture.database)
        let before = fixture.database.commitCount

        let writes = (0..<200).map { id in fixture.database.queue { try $0.run(DatabaseFixture.insert, id, "n") } }
        gate.open()
        try await slow.cancellableValue
        for write in writes { #expect(try await write.cancellableValue == 1) }

        #expect(fixture.database.commitCount - before == 2)
        #expect(fixture.database.writeCount == 201)
        #expect(try await fixture.ids() == Array(0..<200))
    }

    @Test("when a caller continues, its row is committed and visible to another connection")
    func returnsAfterCommit() async throws {
        let fixture = try await DatabaseFixture()
        try await withThrowingTaskGroup { group in
            for id in 0..<64 {
                let other = try RawConnection(fixture.folder.database)
                group.addTask {
                    try await fixture.database.write { _ = try $0.run(DatabaseFixture.insert, id, "n") }
                    #expect(try other.number("SELECT count(*) FROM items WHERE id = \(id)") == 1)
                }
            }
            try await group.waitForAll()
        }
    }

    @Test("a write does not return while another one of its group still runs")
    func returnsWithGroup() async throws {
        let fixture = try await DatabaseFixture()
        let (first, second) = (Gate(), Gate())
        let slow = await first.hold(fixture.database)
        let answered = Flag()
        try await withThrowingTaskGroup { group in
            group.addImmediateTask {
                try await fixture.database.write { _ = try $0.run(DatabaseFixture.insert, 1, "n") }
                answered.raise()
            }
            let last = fixture.database.queue { _ in second.pass() }
            first.open()
            await second.waitUntilEntered()
            #expect(!answered.isRaised)
            #expect(try await fixture.ids() == [])
            second.open()
            try await last.cancellableValue
            try await group.waitForAll()
        }
        try await slow.cancellableValue
        #expect(try await fixture.ids() == [1] && fixture.database.commitCount == 2)
    }

    @Test("commits are written to the log and flushed before they return")
    func durability() async throws {
        let fixture = try await DatabaseFixture()
        let settings = try await fixture.database.write { connection in
            try ["synchronous", "foreign_keys", "secure_delete", "trusted_schema"].map { name in
                try connection.first(
                    Statement("PRAGMA \(name)") { row throws(DatabaseError) in try row.get(0) as Int })
            }
        }
        let mode = try await fixture.database.read {
            try $0.first(Statement("PRAGMA journal_mode") { row throws(DatabaseError) in try row.get(0) as String })
        }
        #expect(settings == [2, 1, 1, 0])
        #expect(mode == "wal")
    }

    @Test("a commit that need not survive a power loss is not flushed; one that must is, with its whole group")
    func outlivesPowerLoss() async throws {
        let fixture = try await DatabaseFixture()
        let synchronous = Statement("PRAGMA synchronous") { row throws(DatabaseError) in try row.get(0) as Int }
        for (outlives, level) in [(false, 1), (true, 2), (false, 1), (false, 1), (true, 2)] {
            let result = try await fixture.database.write(outlivesPowerLoss: outlives) { connection in
                try connection.run(DatabaseFixture.insert, fixture.database.commitCount, "n")
                return try connection.first(synchronous)
            }
            #expect(result == level)
        }
        #expect(try RawConnection(fixture.folder.database).number("SELECT count(*) FROM items") == 5)
    }

    @Test("a single write is one commit and sees its own and earlier rows", arguments: Storage.allCases)
    func singleWrite(storage: Storage) async throws {
        let fixture = try await DatabaseFixture(storage)
        for id in 1...3 {
            let count = try await fixture.database.write { connection in
                try connection.run(DatabaseFixture.insert, id, "n")
                return try connection.first(Self.count)
            }
            #expect(count == id && fixture.database.commitCount == id)
            #expect(try await fixture.ids() == Array(1...id))
        }
    }

    @Test("a body that throws rolls back only its own changes", arguments: Storage.allCases)
    func isolation(storage: Storage) async throws {
        let fixture = try await DatabaseFixture(storage)
        let gate = Gate()
        let slow = await gate.hold(fixture.database)

        let first = fixture.database.queue { try $0.run(DatabaseFixture.insert, 1, "first") }
        let refused = fixture.database.queue { connection in
            try connection.run(DatabaseFixture.insert, 2, "refused")
            throw Refusal()
        }
        let double = fixture.database.queue { connection in
            try connection.run(DatabaseFixture.insert, 3, "with a double")
            try connection.run(DatabaseFixture.insert, 1, "double")
        }
        let last = fixture.database.queue { try $0.run(DatabaseFixture.insert, 4, "last") }
        gate.open()
        try await slow.cancellableValue

        #expect(try await first.cancellableValue == 1)
        await #expect(throws: Refusal.self) { try await refused.cancellableValue }
        #expect(await failure(double)?.code == .constraint(.unique))
        #expect(try await last.cancellableValue == 1)
        #expect(try await fixture.ids() == [1, 4])
    }

    @Test("if every body throws, nothing is committed")
    func nothingToCommit() async throws {
        let fixture = try await DatabaseFixture()
        await #expect(throws: Refusal.self) {
            try await fixture.database.write { connection in
                try connection.run(DatabaseFixture.insert, 1, "n")
                throw Refusal()
            }
        }
        #expect(fixture.database.commitCount == 0 && fixture.database.writeCount == 0)
        #expect(try await fixture.ids() == [])
    }

    @Test("a full database fails the whole group, and later writes continue", arguments: Storage.allCases)
    func fullDatabase(storage: Storage) async throws {
        let fixture = try await DatabaseFixture(storage)
        let gate = Gate()
        let slow = await gate.hold(fixture.database)

        let before = fixture.database.queue { try $0.run(DatabaseFixture.insert, 1, "before") }
        let large = fixture.database.queue { connection in
            try connection.run(Statement("PRAGMA max_page_count = 3"))
            // The body looks away and writes on: that must not be committed by itself.
            _ = try? connection.run(DatabaseFixture.insert, 2, String(repeating: "x", count: 100_000))
            _ = try? connection.run(DatabaseFixture.insert, 3, "after the rollback")
        }
        let after = fixture.database.queue { try $0.run(DatabaseFixture.insert, 4, "after") }
        gate.open()
        _ = await slow.result

        #expect(await failure(before)?.code == .full)
        let error = try #require(await failure(large))
        #expect(error.code == .full && error.message.contains("full; free some space"))
        #expect(try await after.cancellableValue == 1)
        #expect(try await fixture.ids() == [4])
    }

    @Test("a rollback by the body's SQL is an error for the group, not a silent loss")
    func rollbackInside() async throws {
        let fixture = try await DatabaseFixture()
        try await fixture.database.write { _ = try $0.run(DatabaseFixture.insert, 1, "n") }
        let gate = Gate()
        let slow = await gate.hold(fixture.database)
        let before = fixture.database.queue { try $0.run(DatabaseFixture.insert, 2, "before") }
        let breaker = fixture.database.queue { connection in
            try connection.run(Statement("INSERT OR ROLLBACK INTO items (id, name) VALUES (1, 'double')"))
        }
        gate.open()
        _ = await slow.result

        #expect(await failure(before)?.code == .constraint(.unique))
        #expect(await failure(breaker)?.code == .constraint(.unique))
        #expect(try await fixture.ids() == [1])
    }

    @Test(
        "a body cannot end, begin or nest transactions, nor open other files",
        arguments: ["COMMIT", "ROLLBACK", "BEGIN", "SAVEPOINT s", "RELEASE body", "ATTACH ':memory:' AS other"])
    func transactionControl(sql: String) async throws {
        let fixture = try await DatabaseFixture()
        let write = fixture.database.queue { connection in
            try connection.run(DatabaseFixture.insert, 1, "n")
            try connection.run(Statement(sql))
        }
        #expect(await failure(write)?.code == .misuse)
        #expect(try await fixture.ids() == [])
    }

    @Test("a violated deferred foreign key fails only its own write")
    func deferredForeignKey() async throws {
        let fixture = try await DatabaseFixture()
        try await fixture.database.write { connection in
            let sql = "CREATE TABLE tags (item INTEGER REFERENCES items (id) DEFERRABLE INITIALLY DEFERRED) STRICT"
            try connection.run(Statement(sql))
        }
        let tag = Statement("INSERT INTO tags (item) VALUES (?)", Int.self)
        let gate = Gate()
        let slow = await gate.hold(fixture.database)
        let dangling = fixture.database.queue { try $0.run(tag, 9) }
        let group = fixture.database.queue { connection in
            try connection.run(tag, 1)
            try connection.run(DatabaseFixture.insert, 1, "n")
        }
        gate.open()
        _ = await slow.result

        #expect(await failure(dangling)?.code == .constraint(.foreignKey))
        try await group.cancellableValue
    }

    @Test("a long log is checkpointed without a request")
    func checkpoints() async throws {
        let fixture = try await DatabaseFixture()
        for id in 0..<8 {
            try await fixture.database.write {
                _ = try $0.run(DatabaseFixture.insert, id, String(repeating: "x", count: 1 << 20))
            }
        }
        // An errand of the writer: once it is answered, the tidying after the writes before is done, too.
        _ = try await fixture.database.changedByOthers()
        #expect(try fixture.folder.bytes().count > 4 << 20)
    }
}
