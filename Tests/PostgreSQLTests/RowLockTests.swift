import Database
import PostgreSQL
import Synchronization
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

    @Test("a commit waits for the notifications of other databases as long as for another writer")
    func notifications() async throws {
        let server = try await PostgreSQLServer()
        let fixture = try await ServerFixture(server)
        let other = PostgreSQLServer.name(ofDatabaseAt: try await server.createDatabase())
        // A transaction that waits for a standby, after it has the lock of all notifications of the server.
        func setStandby(_ name: String) async throws {
            try await server.query("ALTER SYSTEM SET synchronous_standby_names = '\(name)'", in: other)
            try await server.query("SELECT pg_reload_conf()", in: other)
        }
        try await setStandby("missing")
        let waiting = Task {
            try await server.query("BEGIN; CREATE TABLE written (id int); NOTIFY waiting; COMMIT", in: other)
        }
        func isTrue(_ condition: String) async throws -> Bool {
            try await server.query("SELECT count(*) > 0 FROM pg_stat_activity WHERE \(condition)", in: other) == "t\n"
        }
        try await eventually { try await isTrue("wait_event = 'SyncRep'") }

        let hasEnded = Atomic<Bool>(false)
        let added = Task {
            defer { hasEnded.store(true, ordering: .releasing) }
            _ = try await fixture.database.write(outlivesPowerLoss: false) {
                try $0.run(ServerFixture.insert, 1, "one")
            }
        }
        // Longer than a statement of a writer waits for a row.
        let isLate = "wait_event_type = 'Lock' AND query = 'COMMIT' AND now() - query_start > '1 second'"
        try await eventually { hasEnded.load(ordering: .acquiring) ? true : try await isTrue(isLate) }
        try await setStandby("")
        try await added.value
        _ = try await waiting.value
        #expect(try await fixture.ids() == [1])
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
