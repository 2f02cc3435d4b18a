import Crypto
import HTTPMessages
import Synchronization
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

    @Test("one address, one network and all that never signed in have shares of the queue, and known ones come first")
    func shares() async throws {
        let pool = HashingPool(threads: 1, queue: 64)
        let gate = Gate(pool)
        await gate.closed()
        let seen = Lines()
        var tasks: [Task<Void, any Error>] = []
        var refused = 0
        func submit(_ address: String, isKnown: Bool = false, _ mark: String) async throws {
            let caller = HashingCaller.from(ClientAddress(IPAddress(address)))
            let depth = pool.depth
            let hasEnded = Mutex(false)
            let task = Task {
                defer { hasEnded.withLock { $0 = true } }
                try await pool.run(for: caller, isKnown: isKnown) { seen.writer.write(Array("\(mark) ".utf8)) }
            }
            try await until { pool.depth > depth || hasEnded.withLock { $0 } }
            if pool.depth > depth { tasks.append(task) } else { refused += 1 }
        }
        for _ in 0..<20 { try await submit("192.0.2.1", "a") }
        #expect(pool.depth == 16 && refused == 4)
        for number in 0..<40 { try await submit("2001:db8:0:\(String(number * 256, radix: 16))::1", "b") }
        #expect(pool.depth == 48 && refused == 12)
        for number in 0..<40 { try await submit("198.51.100.\(number)", "c") }
        #expect(pool.depth == 48 && refused == 52)
        for _ in 0..<2 { try await submit("203.0.113.1", isKnown: true, "known") }
        #expect(pool.depth == 50 && refused == 52)
        gate.open()
        for task in tasks { try await task.cancellableValue }
        #expect(seen.text.hasPrefix("known known "))
    }

    @Test("a flood of sign-ins from new networks does not keep an address out that signed in before")
    func flood() async throws {
        try await GatewayFixture.with {
            $0.hashing.threads = 1
            $0.hashing.queue = 8
            $0.trustedProxies = TrustedProxies([IPNetwork("127.0.0.0/8")].compactMap { $0 })
        } _: { fixture in
            try await fixture.addPerson()
            func login(_ address: String, password: String) async throws -> Int {
                try await fixture.login(
                    password: password, headers: [("X-Forwarded-For", address)]
                ).status
            }
            #expect(try await login("203.0.113.1", password: GatewayFixture.password) == 200)
            let pool = fixture.gateway.stores.hasher.pool
            let gate = Gate(pool)
            await gate.closed()
            try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<6 {
                    group.addTask {
                        try await fixture.login(
                            "nobody\(number)@b.c", headers: [("X-Forwarded-For", "198.51.\(number).1")]
                        ).status
                    }
                }
                try await until { pool.depth == 6 }
                #expect(try await login("198.51.100.1", password: GatewayFixture.password) == 503)
                group.addTask { try await login("203.0.113.1", password: GatewayFixture.password) }
                try await until { pool.depth == 7 }
                gate.open()
                let statuses = try await group.reduce(into: []) { $0.append($1) }
                #expect(statuses.count { $0 == 200 } == 1 && statuses.count { $0 == 400 } == 6)
            }
        }
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
