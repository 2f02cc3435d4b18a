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
        let shelf = try await Shelf()
        let gate = Gate()
        let slow = await gate.hold(shelf.database)
        let before = shelf.database.commitCount

        let writes = (0..<200).map { id in shelf.database.queue { try $0.run(Shelf.insert, id, "n") } }
        gate.open()
        try await slow.cancellableValue
        for write in writes { #expect(try await write.cancellableValue == 1) }

        #expect(shelf.database.commitCount - before == 2)
        #expect(shelf.database.writeCount == 201)
        #expect(try await shelf.ids() == Array(0..<200))
    }

    @Test("when a caller continues, its row is committed and visible to another connection")
    func answeredAfterCommit() async throws {
        let shelf = try await Shelf()
        try await withThrowingTaskGroup { group in
            for id in 0..<64 {
                let other = try RawConnection(shelf.folder.database)
                group.addTask {
                    try await shelf.database.write { _ = try $0.run(Shelf.insert, id, "n") }
                    #expect(try other.number("SELECT count(*) FROM items WHERE id = \(id)") == 1)
                }
            }
            try await group.waitForAll()
        }
    }

    @Test("a write does not return while another one of its group still runs")
    func answeredTogether() async throws {
        let shelf = try await Shelf()
        let (first, second) = (Gate(), Gate())
        let slow = await first.hold(shelf.database)
        let answered = Flag()
        try await withThrowingTaskGroup { group in
            group.addImmediateTask {
                try await shelf.database.write { _ = try $0.run(Shelf.insert, 1, "n") }
                answered.raise()
            }
            let last = shelf.database.queue { _ in second.pass() }
            first.open()
            await second.waitUntilEntered()
            #expect(!answered.isRaised)
            #expect(try await shelf.ids() == [])
            second.open()
            try await last.cancellableValue
            try await group.waitForAll()
        }
        try await slow.cancellableValue
        #expect(try await shelf.ids() == [1] && shelf.database.commitCount == 2)
    }

    @Test("commits are written to the log and flushed before they return")
    func durability() async throws {
        let shelf = try await Shelf()
        let settings = try await shelf.database.write { connection in
            try ["synchronous", "foreign_keys", "secure_delete", "trusted_schema"].map { name in
                try connection.first(
                    Statement("PRAGMA \(name)") { row throws(DatabaseError) in try row.get(0) as Int })
            }
        }
        let mode = try await shelf.database.read {
            try $0.first(Statement("PRAGMA journal_mode") { row throws(DatabaseError) in try row.get(0) as String })
        }
        #expect(settings == [2, 1, 1, 0])
        #expect(mode == "wal")
    }

    @Test("a commit that need not survive a power loss is not flushed; one that must is, with its whole group")
    func outlivesPowerLoss() async throws {
        let shelf = try await Shelf()
        let synchronous = Statement("PRAGMA synchronous") { row throws(DatabaseError) in try row.get(0) as Int }
        for (outlives, level) in [(false, 1), (true, 2), (false, 1), (false, 1), (true, 2)] {
            let told = try await shelf.database.write(outlivesPowerLoss: outlives) { connection in
                try connection.run(Shelf.insert, shelf.database.commitCount, "n")
                return try connection.first(synchronous)
            }
            #expect(told == level)
        }
        #expect(try RawConnection(shelf.folder.database).number("SELECT count(*) FROM items") == 5)
    }

    @Test("a single write is one commit and sees its own and earlier rows", arguments: Place.allCases)
    func loneWrite(place: Place) async throws {
        let shelf = try await Shelf(place)
        for id in 1...3 {
            let count = try await shelf.database.write { connection in
                try connection.run(Shelf.insert, id, "n")
                return try connection.first(Self.count)
            }
            #expect(count == id && shelf.database.commitCount == id)
            #expect(try await shelf.ids() == Array(1...id))
        }
    }

    @Test("a body that throws rolls back only its own changes", arguments: Place.allCases)
    func isolation(place: Place) async throws {
        let shelf = try await Shelf(place)
        let gate = Gate()
        let slow = await gate.hold(shelf.database)

        let first = shelf.database.queue { try $0.run(Shelf.insert, 1, "first") }
        let refused = shelf.database.queue { connection in
            try connection.run(Shelf.insert, 2, "refused")
            throw Refusal()
        }
        let double = shelf.database.queue { connection in
            try connection.run(Shelf.insert, 3, "with a double")
            try connection.run(Shelf.insert, 1, "double")
        }
        let last = shelf.database.queue { try $0.run(Shelf.insert, 4, "last") }
        gate.open()
        try await slow.cancellableValue

        #expect(try await first.cancellableValue == 1)
        await #expect(throws: Refusal.self) { try await refused.cancellableValue }
        #expect(await failure(double)?.code == .constraint(.unique))
        #expect(try await last.cancellableValue == 1)
        #expect(try await shelf.ids() == [1, 4])
    }

    @Test("if every body throws, nothing is committed")
    func nothingToCommit() async throws {
        let shelf = try await Shelf()
        await #expect(throws: Refusal.self) {
            try await shelf.database.write { connection in
                try connection.run(Shelf.insert, 1, "n")
                throw Refusal()
            }
        }
        #expect(shelf.database.commitCount == 0 && shelf.database.writeCount == 0)
        #expect(try await shelf.ids() == [])
    }

    @Test("a full database fails the whole group, and later writes continue", arguments: Place.allCases)
    func full(place: Place) async throws {
        let shelf = try await Shelf(place)
        let gate = Gate()
        let slow = await gate.hold(shelf.database)

        let before = shelf.database.queue { try $0.run(Shelf.insert, 1, "before") }
        let large = shelf.database.queue { connection in
            try connection.run(Statement("PRAGMA max_page_count = 3"))
            // The body looks away and writes on: that must not be committed by itself.
            _ = try? connection.run(Shelf.insert, 2, String(repeating: "x", count: 100_000))
            _ = try? connection.run(Shelf.insert, 3, "after the rollback")
        }
        let after = shelf.database.queue { try $0.run(Shelf.insert, 4, "after") }
        gate.open()
        _ = await slow.result

        #expect(await failure(before)?.code == .full)
        let error = try #require(await failure(large))
        #expect(error.code == .full && error.message.contains("full; free some space"))
        #expect(try await after.cancellableValue == 1)
        #expect(try await shelf.ids() == [4])
    }

    @Test("a rollback by the body's SQL is an error for the group, not a silent loss")
    func rollbackInside() async throws {
        let shelf = try await Shelf()
        try await shelf.database.write { _ = try $0.run(Shelf.insert, 1, "n") }
        let gate = Gate()
        let slow = await gate.hold(shelf.database)
        let before = shelf.database.queue { try $0.run(Shelf.insert, 2, "before") }
        let breaker = shelf.database.queue { connection in
            try connection.run(Statement("INSERT OR ROLLBACK INTO items (id, name) VALUES (1, 'double')"))
        }
        gate.open()
        _ = await slow.result

        #expect(await failure(before)?.code == .constraint(.unique))
        #expect(await failure(breaker)?.code == .constraint(.unique))
        #expect(try await shelf.ids() == [1])
    }

    @Test(
        "a body cannot end, begin or nest transactions, nor open other files",
        arguments: ["COMMIT", "ROLLBACK", "BEGIN", "SAVEPOINT s", "RELEASE body", "ATTACH ':memory:' AS other"])
    func transactionControl(sql: String) async throws {
        let shelf = try await Shelf()
        let write = shelf.database.queue { connection in
            try connection.run(Shelf.insert, 1, "n")
            try connection.run(Statement(sql))
        }
        #expect(await failure(write)?.code == .misuse)
        #expect(try await shelf.ids() == [])
    }

    @Test("a violated deferred foreign key fails only its own write")
    func deferredKey() async throws {
        let shelf = try await Shelf()
        try await shelf.database.write { connection in
            let sql = "CREATE TABLE tags (item INTEGER REFERENCES items (id) DEFERRABLE INITIALLY DEFERRED) STRICT"
            try connection.run(Statement(sql))
        }
        let tag = Statement("INSERT INTO tags (item) VALUES (?)", Int.self)
        let gate = Gate()
        let slow = await gate.hold(shelf.database)
        let dangling = shelf.database.queue { try $0.run(tag, 9) }
        let whole = shelf.database.queue { connection in
            try connection.run(tag, 1)
            try connection.run(Shelf.insert, 1, "n")
        }
        gate.open()
        _ = await slow.result

        #expect(await failure(dangling)?.code == .constraint(.foreignKey))
        try await whole.cancellableValue
    }

    @Test("a long log is checkpointed without a request")
    func checkpoints() async throws {
        let shelf = try await Shelf()
        for id in 0..<8 {
            try await shelf.database.write { _ = try $0.run(Shelf.insert, id, String(repeating: "x", count: 1 << 20)) }
        }
        // An errand of the writer: once it is answered, the tidying after the writes before is done, too.
        _ = try await shelf.database.changedByOthers()
        #expect(try shelf.folder.bytes().count > 4 << 20)
    }
}
