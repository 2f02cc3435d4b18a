import Database
import Dispatch
import PostgreSQL
import TestSupport
import Testing

@Suite("Transactions of PostgreSQL")
struct TransactionTests {
    @Test("a write whose body throws is undone alone, and the others of its commit are kept")
    func groups() async throws {
        let fixture = try await ServerFixture()
        try await fixture.add(0)
        await withTaskGroup { group in
            for id in 1...40 {
                group.addTask {
                    // Every second one violates the primary key after its own insertion.
                    let failure = await code {
                        try await fixture.database.write { connection in
                            try connection.run(ServerFixture.insert, id, "kept")
                            if id.isMultiple(of: 2) { try connection.run(ServerFixture.insert, 0, "twice") }
                        }
                    }
                    #expect(failure == (id.isMultiple(of: 2) ? .constraint(.unique) : nil))
                }
            }
        }
        #expect(try await fixture.ids() == [0] + (1...40).filter { !$0.isMultiple(of: 2) })
        #expect(fixture.database.commitCount < fixture.database.writeCount)
    }

    @Test("a body that ignores the error of a statement is not committed")
    func ignoredError() async throws {
        let fixture = try await ServerFixture()
        try await fixture.add(1)
        let failure = await code {
            try await fixture.database.write { connection in
                try connection.run(ServerFixture.insert, 2, "before")
                _ = try? connection.run(ServerFixture.insert, 1, "twice")
            }
        }
        #expect(failure == .constraint(.unique))
        #expect(try await fixture.ids() == [1])
    }

    @Test("writers of two gateways see each other's writes, one after the other")
    func twoWriters() async throws {
        let fixture = try await ServerFixture()
        let other = try await fixture.other()
        let next = Statement("SELECT coalesce(max(id), 0) + 1 FROM items") { row throws(DatabaseError) in
            try row.get(0) as Int
        }
        try await withThrowingTaskGroup { group in
            for database in [fixture.database, other] {
                for _ in 0..<50 {
                    group.addTask {
                        try await database.write { connection in
                            let id = try connection.first(next) ?? 0
                            try connection.run(ServerFixture.insert, id, "next")
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await fixture.ids() == Array(1...100))
        await other.close()
    }

    @Test("a read sees one snapshot and cannot write")
    func reads() async throws {
        let fixture = try await ServerFixture()
        let other = try await fixture.other()
        let counts = try await fixture.database.read { connection in
            let before = try connection.all(ServerFixture.ids).count
            let written = DispatchSemaphore(value: 0)
            Task {
                try await fixture.add(1, to: other)
                written.signal()
            }
            written.wait()
            return [before, try connection.all(ServerFixture.ids).count]
        }
        #expect(counts == [0, 0])
        #expect(try await fixture.ids() == [1])
        #expect(
            await code { try await fixture.database.read { try $0.run(ServerFixture.insert, 2, "read") } } == .readOnly)
        await other.close()
    }

    @Test("a read of one statement needs one round trip, a write two, and a group of writes one more than writes")
    func roundTrips() async throws {
        let fixture = try await ServerFixture()
        try await fixture.add(0)
        _ = try await fixture.ids()
        func trips(_ body: () async throws -> Void) async throws -> Int {
            let before = fixture.database.roundTripCount
            try await body()
            return fixture.database.roundTripCount - before
        }
        #expect(try await trips { _ = try await fixture.ids() } == 1)
        #expect(try await trips { try await fixture.add(1) } == 2)
        // A statement that the connection has not prepared yet.
        let rename = Statement("UPDATE items SET name = ? WHERE id = ?", String.self, Int.self)
        let renamed = try await trips {
            _ = try await fixture.database.write { try $0.firsts(rename, [("a", 0), ("b", 1)]) }
        }
        #expect(renamed == 2)
        let many = try await trips {
            _ = try await fixture.database.write { try $0.firsts(ServerFixture.insert, (10..<510).map { ($0, "m") }) }
        }
        #expect(many == 2)
    }
}
