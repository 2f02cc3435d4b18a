import Database
import TestSupport
import Testing

@Suite("Cancelling and closing", .timeLimit(.minutes(20)))
struct LifetimeTests {
    @Test("a write cancelled in the queue ends at once and changes nothing")
    func cancelledInQueue() async throws {
        let shelf = try await Shelf()
        let gate = Gate()
        let slow = await gate.hold(shelf.database)
        let write = shelf.database.queue { try $0.run(Shelf.insert, 1, "n") }
        let other = shelf.database.queue { try $0.run(Shelf.insert, 2, "n") }

        write.cancel()
        await #expect(throws: CancellationError.self) { try await write.cancellableValue }

        gate.open()
        try await slow.cancellableValue
        #expect(try await other.cancellableValue == 1)
        #expect(try await shelf.ids() == [2])
    }

    @Test("a write cancelled while it runs completes")
    func cancelledWhileRunning() async throws {
        let shelf = try await Shelf()
        let gate = Gate()
        let slow = await gate.hold(shelf.database)
        slow.cancel()
        gate.open()
        try await slow.cancellableValue
        #expect(shelf.database.writeCount == 1)
    }

    @Test("a task that is cancelled before it writes changes nothing", arguments: Place.allCases)
    func cancelledBefore(place: Place) async throws {
        let shelf = try await Shelf(place)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await shelf.database.write { _ = try $0.run(Shelf.insert, 1, "n") }
        }
        await #expect(throws: CancellationError.self) { try await task.cancellableValue }
        #expect(try await shelf.ids() == [])
    }

    @Test(
        "closing waits for queued writes, and later calls fail because the database is closed",
        arguments: Place.allCases)
    func closing(place: Place) async throws {
        let shelf = try await Shelf(place)
        let gate = Gate()
        let slow = await gate.hold(shelf.database)
        let writes = (0..<20).map { id in shelf.database.queue { try $0.run(Shelf.insert, id, "n") } }
        let closing = Task.immediate { await shelf.database.close() }
        gate.open()
        await closing.cancellableValue
        await shelf.database.close()

        try await slow.cancellableValue
        for write in writes { #expect(try await write.cancellableValue == 1) }
        let calls: [@Sendable () async throws -> Void] = [
            { _ = try await shelf.ids() }, { try await shelf.database.write { _ in } },
            { _ = try await shelf.database.changedByOthers() }, { try await shelf.database.checkpoint() },
        ]
        for call in calls {
            let error = try await #require(throws: DatabaseError.self) { try await call() }
            #expect(error.code == .closed && error.message.contains("already closed it"))
        }
    }

    @Test("after closing, a single file is left with all data")
    func oneFileLeft() async throws {
        let shelf = try await Shelf()
        try await shelf.database.write { _ = try $0.run(Shelf.insert, 1, "n") }
        await shelf.database.close()
        #expect(try shelf.folder.names() == ["shelf.db"])
        #expect(try RawConnection(shelf.folder.database).number("SELECT count(*) FROM items") == 1)
    }

    @Test("a read sees one snapshot, whatever is written meanwhile")
    func snapshot() async throws {
        let shelf = try await Shelf()
        try await shelf.database.write { _ = try $0.run(Shelf.insert, 1, "n") }
        let other = try RawConnection(shelf.folder.database)
        let seen = try await shelf.database.read { connection in
            let before = try connection.all(Shelf.ids)
            try other.run("INSERT INTO items VALUES (2, 'n')")
            return (before, try connection.all(Shelf.ids))
        }
        #expect(seen.0 == [1] && seen.1 == [1])
        #expect(try await shelf.ids() == [1, 2])
    }

    @Test("reads continue while a write runs")
    func readsBesideWrites() async throws {
        let shelf = try await Shelf()
        let gate = Gate()
        let slow = await gate.hold(shelf.database)
        #expect(try await shelf.ids() == [])
        gate.open()
        try await slow.cancellableValue
    }

    @Test("a reader can be used again after its body has thrown")
    func throwingRead() async throws {
        struct Refusal: Error {}
        let shelf = try await Shelf()
        for _ in 0..<8 {
            await #expect(throws: Refusal.self) {
                try await shelf.database.read { connection in
                    _ = try connection.all(Shelf.ids)
                    throw Refusal()
                }
            }
        }
        try await shelf.database.write { _ = try $0.run(Shelf.insert, 1, "n") }
        #expect(try await shelf.ids() == [1])
    }
}
