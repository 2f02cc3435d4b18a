import Database
import PostgreSQL
import TestSupport
import Testing

@Suite("Commands of PostgreSQL that take too long")
struct AbandonedCommandTests {
    private static let sleep = Statement("SELECT 1 FROM pg_sleep(?)", Double.self) { row throws(DatabaseError) in
        try row.get(0) as Int
    }
    private static let setting = Statement("SELECT current_setting(?)", String.self) { row throws(DatabaseError) in
        try row.get(0) as String
    }

    @Test("a statement that takes too long is cancelled, and other writers continue")
    func statement() async throws {
        // The server cancels the statement after nine tenths of the time, and the gateway waits for the rest: a second, because
        // its thread may not run at once.
        let fixture = try await ServerFixture(answerTimeout: .seconds(10))
        let other = try await fixture.other()
        let failure = await code { try await fixture.database.write { try $0.first(Self.sleep, 600) } }
        #expect(failure == .interrupted)
        try await fixture.add(1, to: other)
        // The connection can still be used.
        try await fixture.add(2)
        #expect(try await fixture.ids() == [1, 2])
        await other.close()
    }

    @Test("statements that take too long together are cancelled, and other writers continue")
    func group() async throws {
        let fixture = try await ServerFixture(answerTimeout: .seconds(2))
        let other = try await fixture.other()
        let failure = await code {
            try await fixture.database.write { connection in
                try connection.run(ServerFixture.insert, 1, "undone")
                return try connection.firsts(Self.sleep, Array(repeating: 1, count: 600))
            }
        }
        #expect(failure == .unavailable)
        try await fixture.add(2, to: other)
        #expect(try await fixture.ids() == [2])
        await other.close()
    }

    @Test("a commit that waits for a standby is not cancelled, so nobody sees what a fail-over would lose")
    func commit() async throws {
        let server = try await PostgreSQLServer()
        let fixture = try await ServerFixture(server, answerTimeout: .seconds(3))
        let other = try await fixture.other(answerTimeout: .seconds(3))
        try await fixture.query("ALTER SYSTEM SET synchronous_standby_names = 'missing'")
        try await fixture.query("SELECT pg_reload_conf()")
        var id = 0
        // The server needs a moment to read its settings.
        repeat { id += 1 } while await code { try await fixture.add(id) } == nil

        #expect(await code { try await fixture.add(100, to: other) } == .locked)
        #expect(try await fixture.ids(other) == Array(1..<id))
        await other.close()
    }

    @Test("the server ends commands of lost clients, and transactions that pause; a copy may pause longer")
    func settings() async throws {
        let fixture = try await ServerFixture(answerTimeout: .seconds(5))
        let bulk = try await fixture.other(isBulk: true)
        for (name, usual, copying) in [
            ("client_connection_check_interval", "1s", "1s"), ("idle_in_transaction_session_timeout", "2s", "1min"),
            ("statement_timeout", "4500ms", "0"), ("lock_timeout", "4s", "30s"),
        ] {
            for (database, expected) in [(fixture.database, usual), (bulk, copying)] {
                #expect(try await database.read { try $0.first(Self.setting, name) } == expected, "\(name)")
            }
        }
        await bulk.close()
    }
}
