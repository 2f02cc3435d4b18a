import Crypto
import Database
import FoundationEssentials
import HTTPMessages
import Synchronization
import TestSupport
import Testing

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayHTTP
@testable import LatchGateway

/// The limit on guesses when several gateways share a database.
@Suite("Attempts at several gateways", .timeLimit(.minutes(20)))
struct SharedGuardTests {
    private static let limit = AttemptLimit(
        attempts: 5, window: .seconds(900), firstLockOut: .seconds(120), maximumLockOut: .seconds(900))
    private let account = EmailAddress(normalizing: "ada@example.org")

    @Test("concurrent guesses at three gateways never exceed the limit of one", arguments: [false, true])
    func concurrent(byAddress: Bool) async throws {
        try await Guards.with(3) { guards in
            let granted = try await withThrowingTaskGroup { group in
                for number in 0..<60 {
                    let (address, account) =
                        byAddress
                        ? (Guards.address(7), EmailAddress(normalizing: "\(number)@example.org"))
                        : (Guards.address(number), account)
                    group.addTask {
                        try await guards[number % 3].reserve(from: address, guessing: .password(account)).granted
                    }
                }
                return try await group.reduce(into: []) { $0 += $1.map { [$0] } ?? [] }
            }
            try #require(granted.count == 5)

            // The gateways count each other's failures too: the fifth starts a lock-out, at whichever gateway it ends.
            var lockOuts: [Duration] = []
            for (index, reservation) in granted.enumerated() {
                let lengths = try await guards[index % 3].fail(reservation)
                lockOuts += [byAddress ? lengths.address : lengths.account].compactMap { $0 }
            }
            #expect(lockOuts == [.seconds(120)])
            for attempts in guards {
                let address = byAddress ? Guards.address(7) : Guards.address(99)
                #expect(try await attempts.reserve(from: address, guessing: .password(account)).wait == .seconds(120))
            }
        }
    }

    @Test("failures from a /48 lock it out at every gateway, although each /64 has only one")
    func networks() async throws {
        try await Guards.with(2) { guards in
            func attempt(_ number: Int) async throws -> SignInGuard.Reservation? {
                let address = ClientAddress(IPAddress("2001:db8:0:\(String(number * 256, radix: 16))::1"))
                let account = EmailAddress(normalizing: "\(number)@example.org")
                return try await guards[number % 2].reserve(from: address, guessing: .password(account)).granted
            }
            // Sixteen times the five of an address.
            for number in 0..<80 {
                let reservation = try #require(try await attempt(number), "\(number)")
                let lockOut = try await guards[number % 2].fail(reservation).address
                #expect((lockOut != nil) == (number == 79), "\(number)")
            }
            for number in 80..<84 { #expect(try await attempt(number) == nil) }
            let other = ClientAddress(IPAddress("2001:db8:1::1"))
            #expect(try await guards[0].reserve(from: other, guessing: .password(account)).granted != nil)
        }
    }

    @Test("correct sign-ins at several gateways do not count, and clear the failures of other gateways")
    func success() async throws {
        try await Guards.with(3) { guards in
            for round in 0..<6 {
                for attempts in guards {
                    let reservation = try #require(
                        try await attempts.reserve(from: Guards.address(round), guessing: .password(account)).granted)
                    #expect(try await attempts.fail(reservation).account == nil)
                }
                let reservation = try #require(
                    try await guards[round % 3].reserve(from: Guards.address(round), guessing: .password(account))
                        .granted)
                try await guards[round % 3].succeed(reservation)
            }
        }
    }

    @Test("guesses from elsewhere do not lock out a person who is where they have signed in before, at any gateway")
    func knownAddress() async throws {
        try await Guards.with(2) { guards, clock, _ in
            try await Guards.add(account, to: guards[0], at: clock.now)
            let (home, stranger) = (Guards.address(1), Guards.address(2))
            func attempt(_ index: Int, from address: ClientAddress) async throws -> SignInGuard.Reservation? {
                try await guards[index].reserve(from: address, guessing: .password(account)).granted
            }
            try await guards[0].succeed(try #require(try await attempt(0, from: home)))
            // Four from the stranger, and the fifth from a third address, so that only the account is locked out.
            for number in 0..<5 {
                let from = number < 4 ? stranger : Guards.address(3)
                let guess = try #require(try await attempt(0, from: from))
                #expect((try await guards[0].fail(guess).account != nil) == (number == 4))
            }
            for index in 0..<2 {
                #expect(try await attempt(index, from: stranger) == nil)
                #expect(try await attempt(index, from: Guards.address(4)) == nil)
                try await guards[index].succeed(
                    try #require(try await attempt(index, from: home)))
                #expect(try await attempt(index, from: stranger) == nil, "The person's sign-in ends no lock-out.")
            }

            // A key of a program makes no address known.
            clock.advance(900)
            guards[0].release(try #require(try await attempt(0, from: Guards.address(5))))
            for number in 10..<15 {
                _ = try await guards[0].fail(try #require(try await attempt(0, from: Guards.address(number))))
            }
            #expect(try await attempt(0, from: Guards.address(5)) == nil)

            // The own counter has the same limit.
            for number in 0..<5 {
                let guess = try #require(try await attempt(number % 2, from: home))
                #expect((try await guards[number % 2].fail(guess).account != nil) == (number == 4))
            }
            for index in 0..<2 { #expect(try await attempt(index, from: home) == nil) }
        }
    }

    @Test("an account has sixteen known addresses, each for 90 days after the last sign-in from it")
    func manyKnownAddresses() async throws {
        try await Guards.with(1) { guards, clock, _ in
            let attempts = guards[0]
            try await Guards.add(account, to: attempts, at: clock.now)
            func signIn(_ number: Int) async throws {
                try await attempts.succeed(
                    try #require(
                        try await attempts.reserve(from: Guards.address(number), guessing: .password(account)).granted))
            }
            // Five failures lock out all addresses that are not known.
            func known(_ numbers: Range<Int>) async throws -> [Int] {
                for number in 100..<105 {
                    let guess = try #require(
                        try await attempts.reserve(from: Guards.address(number), guessing: .password(account)).granted)
                    _ = try await attempts.fail(guess)
                }
                var known: [Int] = []
                for number in numbers {
                    guard
                        let granted = try await attempts.reserve(
                            from: Guards.address(number), guessing: .password(account)
                        ).granted
                    else { continue }
                    attempts.release(granted)
                    known.append(number)
                }
                clock.advance(900)
                return known
            }
            for number in 0..<20 {
                try await signIn(number)
                clock.advance(1)
            }
            #expect(try await known(0..<25) == Array(4..<20))

            clock.advance(60 * 86_400)
            try await signIn(10)
            clock.advance(31 * 86_400)
            try await attempts.sweep()
            #expect(try await known(0..<25) == [10])
        }
    }

    @Test("a place that a killed gateway reserved is free again after three minutes, and not before")
    func killed() async throws {
        try await Guards.with(1) { guards, clock, open in
            // This gateway is killed: it neither settles the attempts nor closes its database.
            let killed = try await open(0)
            for number in 0..<5 {
                #expect(
                    try await killed.reserve(from: Guards.address(number), guessing: .password(account)).granted != nil)
            }
            #expect(
                try await guards[0].reserve(from: Guards.address(9), guessing: .password(account)).wait == .seconds(1))

            clock.advance(179)
            try await guards[0].sweep()
            #expect(
                try await guards[0].reserve(from: Guards.address(9), guessing: .password(account)).wait == .seconds(1))
            clock.advance(1)
            let again = try #require(
                try await guards[0].reserve(from: Guards.address(9), guessing: .password(account)).granted)
            #expect(try await guards[0].fail(again).account == nil, "An attempt without a result must not count.")
        }
    }

    @Test("the result of an attempt that outlived its place is not used")
    func late() async throws {
        try await Guards.with(1) { guards, clock, _ in
            let reservation = try #require(
                try await guards[0].reserve(from: Guards.address(1), guessing: .password(account)).granted)
            clock.advance(119)
            try guards[0].requireInTime(reservation)
            clock.advance(1)
            let error = #expect(throws: GatewayError.self) { try guards[0].requireInTime(reservation) }
            #expect(error?.code == .busy)
        }
    }

    @Test("a lock-out and the failures before it outlive a restart")
    func restart() async throws {
        try await GatewayFixture.with {
            $0.accountLimit = Self.limit
        } _: { fixture in
            try await fixture.addPerson()
            for _ in 0..<4 { #expect(try await fixture.login(password: "wrong one").status == 400) }

            let restarted = try Gateway(try await fixture.otherProcess())
            let origin = RequestOrigin(
                address: ClientAddress(IPAddress("192.0.2.1")), device: SessionDevice(), request: "1")
            func attempt(_ password: String) async throws -> PasswordSignIn.Outcome {
                try await restarted.services.signIn.attempt(
                    EmailAddress(normalizing: GatewayFixture.email), Secret(password), from: origin)
            }
            #expect(try await attempt("wrong one").isRefused)
            #expect(try await attempt(GatewayFixture.password).wait == .seconds(120))
            #expect(try await fixture.login().headers["Retry-After"] == "120")
            await restarted.close()

            fixture.clock.advance(120)
            #expect(try await fixture.login().status == 200)
        }
    }

    @Test(
        "clocks that differ by a minute shorten a lock-out by at most that, and none is endless", arguments: [-60, 60])
    func clocks(difference: Double) async throws {
        try await Guards.with(1) { guards, clock, open in
            let other = try await open(difference)
            var length: Duration?
            while length == nil {
                let reservation = try #require(
                    try await other.reserve(from: Guards.address(1), guessing: .password(account)).granted)
                length = try await other.fail(reservation).account
            }
            #expect(length == .seconds(120))
            #expect(try await guards[0].reserve(from: Guards.address(2), guessing: .password(account)).wait != nil)
            clock.advance(59)
            #expect(try await guards[0].reserve(from: Guards.address(2), guessing: .password(account)).wait != nil)
            clock.advance(121)
            #expect(try await guards[0].reserve(from: Guards.address(2), guessing: .password(account)).granted != nil)
        }
    }

    @Test("clocks that differ by a minute do not free the place of an attempt in progress", arguments: [-60, 60])
    func clocksInProgress(difference: Double) async throws {
        try await Guards.with(1) { guards, clock, open in
            let other = try await open(difference)
            var running: [SignInGuard.Reservation] = []
            for number in 0..<5 {
                running += [try await other.reserve(from: Guards.address(number), guessing: .password(account)).granted]
                    .compactMap { $0 }
            }
            try #require(running.count == 5)
            clock.advance(119)
            try await guards[0].sweep()
            for reservation in running { try other.requireInTime(reservation) }
            #expect(
                try await guards[0].reserve(from: Guards.address(9), guessing: .password(account)).wait == .seconds(1))
        }
    }

    @Test("the tables are bounded, a flood does not remove a lock-out, and nothing is left after a day")
    func bounded() async throws {
        try await Guards.with(1, capacity: 64) { guards, clock, open in
            for _ in 0..<5 {
                let reservation = try #require(
                    try await guards[0].reserve(from: Guards.address(1), guessing: .password(account)).granted)
                _ = try await guards[0].fail(reservation)
            }
            for number in 10..<400 {
                let reservation = try #require(
                    try await guards[0].reserve(
                        from: Guards.address(number), guessing: .password(EmailAddress(normalizing: "\(number)@b.c"))
                    ).granted)
                _ = try await guards[0].fail(reservation)
                #expect(try await guards[0].storedCount <= 2 * (64 + 4))
            }
            // Another gateway, which does not know the lock-out.
            let other = try await open(0)
            #expect(
                try await other.reserve(from: Guards.address(2), guessing: .password(account)).wait == .seconds(120))

            clock.advance(day)
            try await guards[0].sweep()
            #expect(try await guards[0].storedCount == 0)
        }
    }

    @Test("attempts during a lock-out write nothing, and one that this gateway knows does not use the database")
    func refusedIsCheap() async throws {
        try await Guards.with(2) { guards, clock, _ in
            for _ in 0..<5 {
                let reservation = try #require(
                    try await guards[0].reserve(from: Guards.address(1), guessing: .password(account)).granted)
                _ = try await guards[0].fail(reservation)
            }
            let writes = guards.map(\.database.writeCount)
            let stored = try await guards[1].storedCount
            for _ in 0..<50 {
                for attempts in guards {
                    #expect(
                        try await attempts.reserve(from: Guards.address(2), guessing: .password(account)).wait != nil)
                }
            }
            #expect(guards[0].database.writeCount == writes[0])
            #expect(guards[1].database.writeCount <= writes[1] + 1, "It must find the lock-out once.")
            #expect(try await guards[1].storedCount == stored)
        }
    }

    @Test("a correct sign-in costs one write more than its session")
    func cost() async throws {
        try await GatewayFixture.with { fixture in
            try await fixture.addPerson()
            #expect(try await fixture.login().status == 200)
            let writes = fixture.gateway.stores.database.writeCount
            for _ in 0..<10 { #expect(try await fixture.login().status == 200) }
            #expect(fixture.gateway.stores.database.writeCount <= writes + 20)
        }
    }

    @Test("a client that disconnects before the result cannot avoid the count")
    func cancelled() async throws {
        try await Guards.with(1) { guards, _, _ in
            for number in 0..<5 {
                let reservation = try #require(
                    try await guards[0].reserve(from: Guards.address(number), guessing: .password(account)).granted)
                let settled = Task {
                    withUnsafeCurrentTask { unsafe $0?.cancel() }
                    return try await guards[0].fail(reservation).account
                }
                _ = try await settled.value
            }
            #expect(
                try await guards[0].reserve(from: Guards.address(9), guessing: .password(account)).wait == .seconds(120)
            )
        }
    }

    @Test("without its database the gateway allows no attempt")
    func unavailable() async throws {
        try await GatewayFixture.with { fixture in
            try await fixture.addPerson()
            await fixture.gateway.stores.database.close()
            #expect(try await fixture.login().status == 503)
            #expect(try await fixture.login(password: "wrong one").status == 503)
        }
    }

    @Test("the database holds neither the addresses nor the accounts that were tried", .onlySQLite)
    func stored() async throws {
        try await GatewayFixture.with { fixture in
            #expect(try await fixture.login("tried@example.net", password: "wrong one").status == 400)
            let bytes = try fixture.databaseBytes()
            #expect(bytes.contains(Array("attempt_counters".utf8)), "The bytes must be those of the database.")
            #expect(!bytes.contains(Array("tried@example.net".utf8)))
        }
    }

    @Test("digests depend on the key, and addresses, accounts and codes of devices have their own")
    func digests() {
        let (one, other) = (AttemptDigests(key: Secret.random(32)), AttemptDigests(key: Secret.random(32)))
        let address = AddressKey(IPAddress("97.97.97.97"))
        for place in [nil, address] {
            func digest(_ digests: AttemptDigests) -> [UInt8] { digests.guessed(.password(account), at: place) }
            #expect(digest(one) == digest(one) && digest(one) != digest(other))
            let plain = AttemptDigests(key: nil)
            #expect(digest(one) != digest(plain) && digest(plain) == digest(AttemptDigests(key: nil)))
        }
        let person = UUID()
        let names = ["aaaa", "device codes \(person.uuidString)", person.uuidString]
        let all =
            [one.address(address)]
            + [nil, address].flatMap { place in
                [one.guessed(.deviceCodes(of: person), at: place)]
                    + names.map { one.guessed(.password(EmailAddress(normalizing: $0)), at: place) }
            }
        #expect(Set(all).count == all.count)
    }
}

/// Guards of several gateways on one database file.
private enum Guards {
    static func address(_ number: Int) -> ClientAddress {
        ClientAddress(IPAddress("10.0.\(number / 256).\(number % 256)"))
    }

    /// Adds a person with a password.
    static func add(_ email: EmailAddress, to attempts: SignInGuard, at now: Date) async throws {
        _ = try await attempts.database.write {
            try $0.first(PeopleStatements.insert, UUID(), email.text, nil, nil, false, false, false, now)
        }
    }

    /// Runs `body` with the guards of so many gateways.
    static func with(_ count: Int, _ body: ([SignInGuard]) async throws -> Void) async throws {
        try await with(count) { guards, _, _ in try await body(guards) }
    }

    /// Runs `body` with the guards of so many gateways, their clock, and a function that opens a further gateway whose
    /// clock is so many seconds ahead.
    static func with(
        _ count: Int, capacity: Int = 1_000,
        _ body: ([SignInGuard], TestClock, (Double) async throws -> SignInGuard) async throws -> Void
    ) async throws {
        let folder = try TemporaryDirectory()
        let clock = TestClock()
        let opened = Mutex<[Database]>([])
        let open = { (difference: Double) in
            let database = try await Database.open(
                .init(path: folder.file("latchd.db"), applicationID: Schema.applicationID),
                migrations: Schema.migrations)
            opened.withLock { $0.append(database) }
            return SignInGuard(
                database: database, key: nil,
                address: AttemptLimit(
                    attempts: 5, window: .seconds(900), firstLockOut: .seconds(120), maximumLockOut: .seconds(900)),
                account: AttemptLimit(
                    attempts: 5, window: .seconds(900), firstLockOut: .seconds(120), maximumLockOut: .seconds(900)),
                capacity: capacity, now: { clock.now.addingTimeInterval(difference) })
        }
        var guards: [SignInGuard] = []
        for _ in 0..<count { guards.append(try await open(0)) }
        try await attempt {
            try await body(guards, clock, open)
        } finally: {
            for database in opened.withLock({ $0 }) { await database.close() }
        }
    }
}

extension SignInGuard.Decision {
    /// The reservation; nil when the attempt is refused.
    fileprivate var granted: SignInGuard.Reservation? { if case .granted(let value) = self { value } else { nil } }
    /// The time to wait; nil when the attempt is allowed.
    fileprivate var wait: Duration? { if case .refused(let value) = self { value } else { nil } }
}

extension PasswordSignIn.Outcome {
    fileprivate var isRefused: Bool { if case .refused = self { true } else { false } }
    fileprivate var wait: Duration? { if case .limited(let value) = self { value } else { nil } }
}

extension SignInGuard {
    /// The number of counters in the database.
    fileprivate var storedCount: Int {
        get async throws {
            let count = Statement("SELECT count(*) FROM attempt_counters") { row throws(DatabaseError) in
                try row.get(0) as Int
            }
            return try await database.read { try $0.first(count) } ?? 0
        }
    }
}
