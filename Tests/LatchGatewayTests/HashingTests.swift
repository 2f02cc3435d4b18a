import Crypto
import HTTPMessages
import TestSupport
import Testing

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayHTTP
@testable import LatchGateway

@Suite(.timeLimit(.minutes(20)))
struct HashingTests {
    @Test("with a full queue a sign-in gets 503 with Retry-After, and a valid token is still accepted")
    func fullQueue() async throws {
        try await GatewayFixture.with {
            $0.hashing.threads = 1
            $0.hashing.queue = 1
        } _: { fixture in
            try await fixture.addPerson()
            let token = try await fixture.token()
            let pool = fixture.gateway.stores.hasher.pool
            let gate = Gate(pool)
            await gate.closed()
            async let waiting = fixture.login()
            try await until { pool.depth > 0 }

            let refused = try await fixture.login()
            #expect(refused.status == 503)
            #expect(refused.headers["Retry-After"] == "1")
            #expect(refused.json?["detail"]?.string?.isEmpty == false)
            #expect(try await fixture.me(token).status == 200)
            #expect(try await fixture.refresh(token).status == 200)

            gate.open()
            #expect(try await waiting.status == 200)
            #expect(try await fixture.login().status == 200)
        }
    }

    @Test("a refusal because of a full queue does not count as a failure of the account")
    func busyIsNoFailure() async throws {
        try await GatewayFixture.with {
            $0.hashing.threads = 1
            $0.hashing.queue = 1
            $0.accountLimit = AttemptLimit(attempts: 2, window: .seconds(900))
        } _: { fixture in
            try await fixture.addPerson()
            let pool = fixture.gateway.stores.hasher.pool
            let gate = Gate(pool)
            await gate.closed()
            async let waiting = fixture.login("other@example.org")
            try await until { pool.depth > 0 }
            for _ in 0..<5 { #expect(try await fixture.login().status == 503) }
            gate.open()
            _ = try await waiting

            #expect(try await fixture.login().status == 200)
        }
    }

    @Test("work that was cancelled before its turn leaves the queue")
    func cancelled() async throws {
        let pool = HashingPool(threads: 1, queue: 4)
        let gate = Gate(pool)
        await gate.closed()
        let waiting = Task { try await pool.run { 1 } }
        try await until { pool.depth > 0 }

        waiting.cancel()

        await #expect(throws: CancellationError.self) { try await waiting.cancellableValue }
        #expect(pool.depth == 0)
        gate.open()
        #expect(try await pool.run { 2 } == 2)
    }

    @Test("a stopped pool refuses waiting and new work")
    func stopped() async throws {
        let pool = HashingPool(threads: 1, queue: 4)
        let gate = Gate(pool)
        await gate.closed()
        let waiting = Task { try await pool.run { 1 } }
        try await until { pool.depth > 0 }

        pool.stop()
        gate.open()

        let error = await #expect(throws: GatewayError.self) { try await waiting.cancellableValue }
        #expect(error?.code == .closed)
        let late = await #expect(throws: GatewayError.self) { try await pool.run { 1 } }
        #expect(late?.code == .closed)
    }

    @Test("jobs run in the order of submission")
    func order() async throws {
        let pool = HashingPool(threads: 1, queue: 100)
        let gate = Gate(pool)
        await gate.closed()
        let seen = Lines()
        var tasks: [Task<Void, any Error>] = []
        for index in 0..<50 {
            tasks.append(Task { try await pool.run { seen.writer.write(Array("\(index) ".utf8)) } })
            try await until { pool.depth > index }
        }
        gate.open()
        for task in tasks { try await task.cancellableValue }
        #expect(seen.text == (0..<50).map { "\($0) " }.joined())
    }
}
