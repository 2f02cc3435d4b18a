import CLibrary
import Database
import Dispatch
import PostgreSQL
import TestSupport
import Testing

@Suite("Lost connections to PostgreSQL")
struct ConnectionLossTests {
    @Test("a crash of the server fails what is running, keeps what was confirmed, and the next call connects again")
    func crash() async throws {
        let server = try await PostgreSQLServer("fsync=on")
        let fixture = try await ServerFixture(server, answerTimeout: .seconds(5))
        try await fixture.add(1)
        await server.stop(SIGQUIT)
        #expect(await code { try await fixture.add(2) } == .unavailable)
        #expect(await code { try await fixture.ids() } == .unavailable)
        #expect(await code { try await fixture.database.externalChanges() } == .unavailable)
        try await server.start()
        try await fixture.add(3)
        #expect(try await fixture.ids() == [1, 3])
        #expect(try await fixture.database.externalChanges().isComplete == false)
        #expect(try await fixture.database.externalChanges().isComplete)
    }

    @Test("connections that the server closed while they were idle are replaced without an error")
    func idle() async throws {
        let fixture = try await ServerFixture()
        try await fixture.add(1)
        _ = try await fixture.ids()
        try await fixture.query(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() "
                + "AND pid <> pg_backend_pid()")
        try await fixture.add(2)
        #expect(try await fixture.ids() == [1, 2])
    }

    @Test("a server that is stopped for a while fails calls at the time limit, and later ones succeed")
    func stopped() async throws {
        let fixture = try await ServerFixture(answerTimeout: .seconds(2))
        try await fixture.add(1)
        let pids = try await fixture.query(
            "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()")
        let processes = pids.split(separator: "\n").compactMap { Int32($0) }
        for process in processes { kill(process, SIGSTOP) }
        #expect(await code { try await fixture.add(2) } == .unavailable)
        for process in processes { kill(process, SIGCONT) }
        try await fixture.add(3)
        #expect(try await fixture.ids().contains(3))
    }

    @Test("a gateway that stops in the middle of a write holds up others only until the server ends its transaction")
    func abandonedLock() async throws {
        let fixture = try await ServerFixture(answerTimeout: .seconds(3))
        let other = try await fixture.other()
        let (held, release) = (AsyncStream<Void>.makeStream(), DispatchSemaphore(value: 0))
        let holding = Task {
            await code {
                try await fixture.database.write { connection in
                    try connection.run(ServerFixture.insert, 2, "held")
                    held.continuation.yield()
                    release.wait()
                }
            }
        }
        for await _ in held.stream { break }
        // The server ends a transaction that is idle for as long as an answer may take.
        try await fixture.add(1, to: other)
        release.signal()
        #expect(await holding.value == .unavailable)
        #expect(try await fixture.ids(other) == [1])
        await other.close()
    }
}
