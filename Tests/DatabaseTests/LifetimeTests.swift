import Database
import TestSupport
import Testing

@Suite("Cancelling and closing", .timeLimit(.minutes(20)))
struct LifetimeTests {
    @Test("a write cancelled in the queue ends at once and changes nothing")
    func cancelledInQueue() async throws {
        let fixture = try await DatabaseFixture()
        let gate = Gate()
        let slow = await gate.hold(fixture.database)
        let write = fixture.database.queue { try $0.run(DatabaseFixture.insert, 1, "n") }
        let other = fixture.database.queue { try $0.run(DatabaseFixture.insert, 2, "n") }

        write.cancel()
        await #expect(throws: CancellationError.self) { try await write.cancellableValue }

        gate.open()
        try await slow.cancellableValue
        #expect(try await other.cancellableValue == 1)
        #expect(try await fixture.ids() == [2])
    }

    @Test("a write cancelled while it runs completes")
    func cancelledWhileRunning() async throws {
        let fixture = try await DatabaseFixture()
        let gate = Gate()
        let slow = await gate.hold(fixture.database)
        slow.cancel()
        gate.open()
        try await slow.cancellableValue
        #expect(fixture.database.writeCount == 1)
    }

    @Test("a task that is cancelled before it writes changes nothing", arguments: Storage.allCases)
    func cancelledBefore(storage: Storage) async throws {
        let fixture = try await DatabaseFixture(storage)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await fixture.database.write { _ = try $0.run(DatabaseFixture.insert, 1, "n") }
        }
        await #expect(throws: CancellationError.self) { try await task.cancellableValue }
        #expect(try await fixture.ids() == [])
    }

    @Test(
        "closing waits for queued writes, and later calls fail because the database is closed",
        arguments: Storage.allCases)
    func closing(storage: Storage) async throws {
        let fixture = try await DatabaseFixture(storage)
        let gate = Gate()
        let slow = await gate.hold(fixture.database)
        let writes = (0..<20).map { id in fixture.database.queue { try $0.run(DatabaseFixture.insert, id, "n") } }
        let closing = Task.immediate { await fixture.database.close() }
        gate.open()
        await closing.cancellableValue
        await fixture.database.close()

        try await slow.cancellableValue
        for write in writes { #expect(try await write.cancellableValue == 1) }
        let calls: [@Sendable () async throws -> Void] = [
            { _ = try await fixture.ids() }, { try await fixture.database.write { _ in } },
            { _ = try await fixture.database.changedByOthers() }, { try await fixture.database.checkpoint() },
        ]
        for call in calls {
            let error = try await #require(throws: DatabaseError.self) { try await call() }
            #expect(error.code == .closed && error.message.contains("already closed it"))
        }
    }

    @Test("after closing, a single file is left with all data")
    func singleFileAfterClose() async throws {
        let fixture = try await DatabaseFixture()
        try await fixture.database.write { _ = try $0.run(DatabaseFixture.insert, 1, "n") }
        await fixture.database.close()
        #expect(try fixture.folder.names() == ["shelf.db"])
        #expect(try RawConnection(fixture.folder.database).number("SELECT count(*) FROM items") == 1)
    }

    @Test("a read sees one snapshot, whatever is written meanwhile")
    func snapshot() async throws {
        let fixture = try await DatabaseFixture()
        try await fixture.database.write { _ = try $0.run(DatabaseFixture.insert, 1, "n") }
        let other = try RawConnection(fixture.folder.database)
        let seen = try await fixture.database.read { connection in
            let before = try connection.all(DatabaseFixture.ids)
            try other.run("INSERT INTO items VALUES (2, 'n')")
            return (before, try connection.all(DatabaseFixture.ids))
        }
        #expect(seen.0 == [1] && seen.1 == [1])
        #expect(try await fixture.ids() == [1, 2])
    }

    @Test("reads continue while a write runs")
    func readsBesideWrites() async throws {
        let fixture = try await DatabaseFixture()
        let gate = Gate()
        let slow = await gate.hold(fixture.database)
        #expect(try await fixture.ids() == [])
        gate.open()
        try await slow.cancellableValue
    }

    @Test("a reader can be used again after its body has thrown")
    func throwingRead() async throws {
        struct Refusal: Error {}
        let fixture = try await DatabaseFixture()
        for _ in 0..<8 {
            await #expect(throws: Refusal.self) {
                try await fixture.database.read { connection in
                    _ = try connection.all(DatabaseFixture.ids)
                    throw Refusal()
                }
            }
        }
        try await fixture.database.write { _ = try $0.run(DatabaseFixture.insert, 1, "n") }
        #expect(try await fixture.ids() == [1])
    }
}
