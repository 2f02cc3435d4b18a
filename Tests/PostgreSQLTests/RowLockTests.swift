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
        let fixture = try await ServerFixture(answerTimeout: .seconds(120))
        for id in 1...20 { try await fixture.add(id) }
        let end = try await hold("UPDATE items SET name = 'held' WHERE id <= 2", fixture)

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
        let fixture = try await ServerFixture(answerTimeout: .milliseconds(1_500))
        let end = try await hold("LOCK TABLE schema_version IN EXCLUSIVE MODE", fixture)
        let start = ContinuousClock.now
        #expect(await code { try await fixture.add(1) } == .locked)
        #expect(start.duration(to: .now) >= .milliseconds(1_100))

        try await end()
        try await fixture.add(1)
        #expect(try await fixture.ids() == [1])
    }

    /// Runs SQL in a transaction that stays open, and returns a function that ends it.
    private func hold(_ sql: String, _ fixture: ServerFixture) async throws -> () async throws -> Void {
        let holding = Task { try await fixture.query(sql + "; SELECT pg_sleep(600)") }
        let held = "FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'"
        try await eventually { try await fixture.query("SELECT count(*) \(held)") == "1\n" }
        return {
            try await fixture.query("SELECT pg_terminate_backend(pid) \(held)")
            _ = await holding.result
        }
    }
}
