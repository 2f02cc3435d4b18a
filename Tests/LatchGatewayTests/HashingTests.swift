import Crypto
import FoundationEssentials
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

    /// Jobs in a pool whose only thread is held, and what became of them.
    private final class HeldJobs: Sendable {
        let pool = HashingPool(threads: 1, queue: 64)
        private let state = Mutex((tasks: [Task<Void, Never>](), refused: 0, seen: [String]()))

        var refused: Int { state.withLock { $0.refused } }

        /// Submits a job, and returns when it waits or when it or another one was refused.
        func submit(_ caller: HashingCaller, isKnown: Bool, _ mark: String) async throws {
            let count = state.withLock { $0.tasks.count } + 1
            let task = Task {
                do {
                    try await pool.run(for: caller, isKnown: isKnown) {
                        self.state.withLock { $0.seen.append(mark) }
                    }
                } catch {
                    state.withLock { $0.refused += 1 }
                }
            }
            state.withLock { $0.tasks.append(task) }
            try await until { pool.depth + refused == count }
        }

        /// The marks of the jobs in the order in which they ran.
        func finish() async -> [String] {
            for task in state.withLock({ $0.tasks }) { await task.value }
            return state.withLock { $0.seen }
        }
    }

    private final class Count: Sendable {
        private let count = Mutex(0)

        var value: Int { count.withLock { $0 } }

        func add() { count.withLock { $0 += 1 } }
    }

    private static func address(_ text: String) -> ClientAddress { ClientAddress(IPAddress(text)) }

    @Test("one address, one network and all that never signed in have shares of the queue, and known ones come first")
    func shares() async throws {
        let jobs = HeldJobs()
        let pool = jobs.pool
        let gate = Gate(pool)
        await gate.closed()
        func submit(_ address: String, isKnown: Bool = false, _ mark: String) async throws {
            try await jobs.submit(.from(Self.address(address)), isKnown: isKnown, mark)
        }
        for _ in 0..<20 { try await submit("192.0.2.1", "a") }
        #expect(pool.depth == 16 && jobs.refused == 4)
        for number in 0..<40 { try await submit("2001:db8:0:\(String(number * 256, radix: 16))::1", "b") }
        #expect(pool.depth == 48 && jobs.refused == 12)
        for number in 0..<40 { try await submit("198.51.100.\(number)", "c") }
        #expect(pool.depth == 48 && jobs.refused == 52)
        for _ in 0..<2 { try await submit("203.0.113.1", isKnown: true, "known") }
        #expect(pool.depth == 50 && jobs.refused == 52)
        gate.open()
        let seen = await jobs.finish()
        #expect(seen.prefix(2) == ["known", "known"])
        #expect(seen.count { $0 == "c" } == 40 && seen.count { $0 == "a" } == 4 && seen.count { $0 == "b" } == 4)
    }

    @Test("one account has a quarter of the queue from all its addresses, and a person without a place gets one")
    func accounts() async throws {
        let jobs = HeldJobs()
        let gate = Gate(jobs.pool)
        await gate.closed()
        let people = (0..<5).map { _ in UUID() }
        func submit(_ person: Int, at address: String, isKnown: Bool = true) async throws {
            let email = EmailAddress(normalizing: "\(person)@example.org")
            try await jobs.submit(
                .signingIn(email, as: isKnown ? people[person] : nil, from: Self.address(address)), isKnown: isKnown,
                "\(person)")
        }
        for number in 0..<70 { try await submit(0, at: "10.0.0.\(number % 7)") }
        #expect(jobs.pool.depth == 16 && jobs.refused == 54)
        for person in 1...3 { for number in 0..<16 { try await submit(person, at: "10.\(person).0.\(number % 7)") } }
        #expect(jobs.pool.depth == 64 && jobs.refused == 54)

        try await submit(4, at: "203.0.113.1")
        try await submit(4, at: "203.0.113.2", isKnown: false)
        #expect(jobs.pool.depth == 64 && jobs.refused == 56)
        gate.open()
        let seen = await jobs.finish()
        #expect(seen.count { $0 == "4" } == 2)
        #expect(seen.prefix(6).contains("4"))
    }

    @Test("guesses at an account do not use up the places of its person at an address where they signed in")
    func guesses() async throws {
        let jobs = HeldJobs()
        let gate = Gate(jobs.pool)
        await gate.closed()
        let email = EmailAddress(normalizing: GatewayFixture.email)
        for number in 0..<20 {
            let caller = HashingCaller.signingIn(email, as: nil, from: Self.address("10.0.0.\(number)"))
            try await jobs.submit(caller, isKnown: false, "guess")
        }
        #expect(jobs.pool.depth == 16)
        let known = Self.address("203.0.113.1")
        try await jobs.submit(.signingIn(email, as: UUID(), from: known), isKnown: true, "person")
        #expect(jobs.pool.depth == 17)
        gate.open()
        #expect(await jobs.finish().first == "person")
    }

    @Test("an account that signs in from many addresses keeps nobody out, at a known or a new address")
    func accountFlood() async throws {
        try await GatewayFixture.with {
            $0.hashing.threads = 1
            $0.hashing.queue = 8
            $0.trustedProxies = TrustedProxies([IPNetwork("127.0.0.0/8")].compactMap { $0 })
        } _: { fixture in
            try await fixture.addPerson()
            try await fixture.addPerson("mallory@example.org")
            func login(_ email: String, at address: String) async throws -> Int {
                try await fixture.login(email, headers: [("X-Forwarded-For", address)]).status
            }
            #expect(try await login(GatewayFixture.email, at: "203.0.113.1") == 200)
            for number in 0..<7 { #expect(try await login("mallory@example.org", at: "198.51.100.\(number)") == 200) }
            let pool = fixture.gateway.stores.hasher.pool
            let gate = Gate(pool)
            await gate.closed()
            let refused = Count()
            try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<14 {
                    group.addTask {
                        let status = try await login("mallory@example.org", at: "198.51.100.\(number % 7)")
                        if status == 503 { refused.add() }
                        return status
                    }
                }
                try await until { pool.depth + refused.value == 14 }
                #expect(pool.depth == 2)
                for address in ["203.0.113.1", "203.0.113.2"] {
                    group.addTask { try await login(GatewayFixture.email, at: address) }
                }
                try await until { pool.depth == 4 }
                gate.open()
                let statuses = try await group.reduce(into: []) { $0.append($1) }
                #expect(statuses.count { $0 == 200 } == 4 && statuses.count { $0 == 503 } == 12)
            }
        }
    }

    @Test("sign-ins of one person with the correct password are limited, and so are their lines in the audit log")
    func signIns() async throws {
        try await GatewayFixture.with {
            $0.requestRates.signIns = .perMinute(3)
        } _: { fixture in
            try await fixture.addPerson()
            try await fixture.addPerson("bob@example.org")
            for _ in 0..<3 { #expect(try await fixture.login().status == 200) }
            for _ in 0..<3 {
                let limited = try await fixture.login()
                #expect(limited.status == 429 && limited.headers["Retry-After"] == "20")
            }
            #expect(try await fixture.login("bob@example.org").status == 200)
            let lines = fixture.lines.audit.filter { $0["event"]?.string == "sign-in" }
            #expect(lines.count == 4)
            fixture.clock.advance(20)
            #expect(try await fixture.login().status == 200)
        }
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
