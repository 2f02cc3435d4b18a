import Database
import FoundationEssentials
import TestSupport
import Testing

@testable import GatewayCore
@testable import LatchGateway

@Suite("Queues of sign-outs that clients are told", .timeLimit(.minutes(20)))
struct ClientSignOutStoreTests {
    private static let add = Statement(
        "INSERT INTO client_sign_outs (session_id, client_id, person_id, attempts, next_at) VALUES (?, ?, ?, 0, ?)",
        String.self, String.self, UUID.self, Date.self)

    private func with(_ body: (ClientSignOutStore, Database, TestClock) async throws -> Void) async throws {
        let folder = try TemporaryDirectory()
        let database = try await TestDatabase.location(in: folder).open()
        let clock = TestClock()
        try await body(ClientSignOutStore(database: database, capacity: 20, now: { clock.now }), database, clock)
        await database.close()
    }

    private func add(_ count: Int, of client: String, _ database: Database, _ clock: TestClock) async throws {
        for number in 0..<count {
            clock.advance(0.001)
            _ = try await database.write { try $0.run(Self.add, "\(client) \(number)", client, UUID(), clock.now) }
        }
    }

    private func take(all client: String, from store: ClientSignOutStore) async throws -> [String] {
        var sessions: [String] = []
        var told: SessionID?
        while let signOut = try await store.next(of: client, removing: told) {
            sessions.append(signOut.session.rawValue)
            told = signOut.session
        }
        return sessions
    }

    @Test("the overflow of a client drops its own oldest sign-outs, and none of another client")
    func overflow() async throws {
        try await with { store, database, clock in
            try await add(20, of: "web", database, clock)
            try await add(50, of: "slow", database, clock)
            #expect(try await store.dueClients().sorted() == ["slow", "web"])
            for client in ["slow", "web"] { try await store.trim(client) }
            #expect(try await take(all: "web", from: store).count == 20)
            #expect(try await take(all: "slow", from: store) == (30..<50).map { "slow \($0)" })
        }
    }

    @Test("a client that does not respond is an attempt for all of its sign-outs, and the last one drops them")
    func postponed() async throws {
        try await with { store, database, clock in
            try await add(10, of: "slow", database, clock)
            try await add(1, of: "web", database, clock)
            for attempt in 1...ClientSignOutStore.maximumAttempts {
                let dropped = try await store.postpone("slow")
                #expect(dropped == (attempt == ClientSignOutStore.maximumAttempts ? 10 : 0))
                #expect(try await store.dueClients() == ["web"])
                #expect(try await store.postpone("slow") == 0, "None is due.")
                clock.advance(600)
            }
            #expect(try await store.dueClients() == ["web"])
        }
    }

    @Test("of several gateways that take at the same time, one gets each sign-out")
    func concurrent() async throws {
        try await with { store, database, clock in
            try await add(18, of: "web", database, clock)
            let taken = try await withThrowingTaskGroup(of: [String].self) { group in
                for _ in 0..<6 { group.addTask { try await take(all: "web", from: store) } }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            #expect(taken.count == 18 && Set(taken).count == 18)
        }
    }
}
