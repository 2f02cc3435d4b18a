import Database
import PostgreSQL
import TestSupport
import Testing

@Suite("Rows that other programs lock")
struct RowLockTests {
    private static let rename = Statement("UPDATE items SET name = ? WHERE id = ?", String.self, Int.self)

    @Test("a row in an operator's idle transaction fails only the writes of that row, and soon")
    func stuckRow() async throws {
        // Writers would wait for each other's lock for 96 seconds.
        let fixture = try await ServerFixture(answerTimeout: SuccessTimeout.duration)
        for id in 1...20 { try await fixture.add(id) }
        let end = try await fixture.hold("UPDATE items SET name = 'held' WHERE id <= 2")

        let start = ContinuousClock.now
        await withTaskGroup { group in
            for id in 1...20 {
                group.addTask {
                    let failure = await code {
                        try await fixture.database.write { try $0.run(Self.rename, "renamed", id) }
                    }
                    #expect(failure == (id <= 2 ? .locked : nil))
                }
            }
        }
        #expect(start.duration(to: .now) < .seconds(30))

        try await end()
        _ = try await fixture.database.write { try $0.run(Self.rename, "renamed", 1) }
        #expect(try await fixture.query("SELECT count(*) FROM items WHERE name = 'renamed'") == "19\n")
    }

    @Test("a writer waits longer for the lock of another writer")
    func writersLock() async throws {
        let fixture = try await ServerFixture(answerTimeout: .seconds(5))
        let end = try await fixture.hold("LOCK TABLE schema_version IN EXCLUSIVE MODE")
        let start = ContinuousClock.now
        #expect(await code { try await fixture.add(1) } == .locked)
        #expect(start.duration(to: .now) >= .milliseconds(3_900))

        try await end()
        try await fixture.add(1)
        #expect(try await fixture.ids() == [1])
    }
}
