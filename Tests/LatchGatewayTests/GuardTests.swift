import Crypto
import FoundationEssentials
import HTTPMessages
import HTTPServer
import Synchronization
import TestSupport
import Testing

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayHTTP
@testable import LatchGateway

@Suite(.timeLimit(.minutes(20)))
struct GuardTests {
    private let start = Date(timeIntervalSince1970: 1_790_000_000)
    private let limit = AttemptLimit(
        attempts: 3, window: .seconds(60), firstLockOut: .seconds(30), maximumLockOut: .seconds(100))

    @Test(
        "too many failures lock an account out, whether or not it exists",
        arguments: [GatewayFixture.email, "nobody@b.c"])
    func accountLockOut(email: String) async throws {
        try await GatewayFixture.with {
            $0.accountLimit = AttemptLimit(attempts: 3, window: .seconds(900))
        } _: { fixture in
            try await fixture.addPerson()
            for _ in 0..<3 { #expect(try await fixture.login(email, password: "wrong one").status == 400) }

            let locked = try await fixture.login(email)
            #expect(locked.status == 429)
            #expect(locked.text == #"{"detail":"Too Many Requests"}"#)
            #expect(locked.headers["Retry-After"] == "30")
            #expect(try await fixture.login("other@example.org").status == 400)
            // The same account, written differently.
            #expect(try await fixture.login(" \(email.uppercased())").status == 429)

            fixture.clock.advance(29.5)
            #expect(try await fixture.login(email).headers["Retry-After"] == "1")
            fixture.clock.advance(0.5)
            #expect(try await fixture.login(email).status == (email == GatewayFixture.email ? 200 : 400))
        }
    }

    @Test("too many failures from one address lock it out for every account")
    func addressLockOut() async throws {
        try await GatewayFixture.with {
            $0.addressLimit = AttemptLimit(attempts: 4, window: .seconds(60))
        } _: { fixture in
            try await fixture.addPerson()
            for index in 0..<4 { #expect(try await fixture.login("nobody\(index)@b.c").status == 400) }
            #expect(try await fixture.login().status == 429)
            fixture.clock.advance(30)
            #expect(try await fixture.login().status == 200)
        }
    }

    @Test("a person whose account others lock out signs in where they have signed in before")
    func lockedOutByOthers() async throws {
        try await GatewayFixture.with {
            $0.accountLimit = AttemptLimit(attempts: 3, window: .seconds(900))
            $0.trustedProxies = TrustedProxies([try! IPNetwork.required("127.0.0.1/32")])
        } _: { fixture in
            try await fixture.addPerson()
            let home = [("X-Forwarded-For", "2001:db8:1::1")]
            #expect(try await fixture.login(headers: home).status == 200)
            let stranger = [("X-Forwarded-For", "203.0.113.9")]
            for status in [400, 400, 400, 429] {
                #expect(try await fixture.login(password: "wrong one", headers: stranger).status == status)
            }
            // Also from another address of the same /64.
            #expect(try await fixture.login(headers: [("X-Forwarded-For", "2001:db8:1::2")]).status == 200)
            #expect(try await fixture.login(headers: [("X-Forwarded-For", "198.51.100.1")]).status == 429)

            // Whoever signed in with the old password is a stranger after a change.
            let person = try #require(try await fixture.gateway.stores.people.find(GatewayFixture.email))
            fixture.clock.advance(1)
            _ = try await fixture.gateway.stores.people.setPassword(Secret("another horse 8"), of: person.id)
            #expect(try await fixture.login(password: "another horse 8", headers: home).status == 429)
            fixture.clock.advance(900)
            for password in ["another horse 8", "wrong one", "another horse 8"] {
                let status = try await fixture.login(password: password, headers: home).status
                #expect(status == (password == "wrong one" ? 400 : 200))
            }
        }
    }

    @Test("sign-ins with the correct password do not count")
    func successIsNoFailure() async throws {
        try await GatewayFixture.with {
            $0.addressLimit = AttemptLimit(attempts: 3, window: .seconds(60))
            $0.accountLimit = AttemptLimit(attempts: 3, window: .seconds(60))
        } _: { fixture in
            try await fixture.addPerson()
            for _ in 0..<8 { #expect(try await fixture.login().status == 200) }
        }
    }

    @Test("concurrent guesses cannot exceed the limit")
    func parallelGuesses() async throws {
        try await GatewayFixture.with {
            $0.accountLimit = AttemptLimit(attempts: 5, window: .seconds(900))
            $0.hashing.threads = 1
        } _: { fixture in
            try await fixture.addPerson()
            let pool = fixture.gateway.stores.hasher.pool
            let gate = Gate(pool)
            await gate.closed()
            let answered = Answered()
            try await withThrowingTaskGroup { group in
                for _ in 0..<24 {
                    group.addTask {
                        let status = try await fixture.login(password: "wrong one").status
                        answered.statuses.withLock { $0.append(status) }
                    }
                }
                // Each guess was either refused at once or waits for the thread that the gate holds.
                try await until { answered.statuses.withLock { $0.count } + pool.depth == 24 }
                #expect(pool.depth == 5)
                #expect(answered.statuses.withLock { $0 }.allSatisfy { $0 == 429 })
                gate.open()
                try await group.waitForAll()
            }
            #expect(answered.statuses.withLock { $0 }.filter { $0 == 400 }.count == 5)
            #expect(try await fixture.login().status == 429)
        }
    }

    @Test("each lock-out is twice as long as the one before, up to the maximum, and is reset after a pause")
    func growing() {
        var counter = AttemptCounter()
        var now = start
        func lockOut() -> Duration? {
            for _ in 0..<2 {
                #expect(counter.wait(limit, inProgress: 0, at: now) == nil)
                #expect(counter.fail(limit, at: now) == nil)
            }
            #expect(counter.wait(limit, inProgress: 0, at: now) == nil)
            let length = counter.fail(limit, at: now)
            #expect(counter.wait(limit, inProgress: 0, at: now) == length)
            now = now + (length ?? .zero)
            return length
        }
        #expect(lockOut() == .seconds(30))
        #expect(lockOut() == .seconds(60))
        #expect(lockOut() == .seconds(100))
        #expect(lockOut() == .seconds(100))
        now += 100
        #expect(lockOut() == .seconds(30))
    }

    @Test("failures count only within their window")
    func window() {
        var counter = AttemptCounter()
        for step in 0..<10 {
            let now = start.addingTimeInterval(Double(step) * 31)
            #expect(counter.wait(limit, inProgress: 0, at: now) == nil)
            #expect(counter.fail(limit, at: now) == nil)
        }
    }

    @Test("attempts in progress occupy the places that failures leave")
    func places() {
        var counter = AttemptCounter()
        #expect(counter.wait(limit, inProgress: 2, at: start) == nil)
        #expect(counter.wait(limit, inProgress: 3, at: start) == .seconds(1))
        #expect(counter.fail(limit, at: start) == nil)
        #expect(counter.wait(limit, inProgress: 1, at: start) == nil)
        #expect(counter.wait(limit, inProgress: 2, at: start) == .seconds(1))
        counter.reset()
        #expect(counter.wait(limit, inProgress: 2, at: start) == nil)
    }

    @Test("setting the clock back does not make a lock-out longer than the maximum")
    func clockSetBack() {
        var counter = AttemptCounter()
        for _ in 0..<3 { _ = counter.fail(limit, at: start) }
        #expect(counter.wait(limit, inProgress: 0, at: start - .seconds(10 * day)) == .seconds(100))
    }

    @Test("an IPv6 address counts by its /64, and an IPv4 address on its own, mapped or not")
    func addressKeys() throws {
        func key(_ text: String) throws -> AddressKey { AddressKey(ClientAddress(IPAddress(text))) }
        #expect(try key("2001:db8::1") == key("2001:db8::ffff:1"))
        #expect(try key("2001:db8::1") != key("2001:db8:0:1::1"))
        #expect(try key("192.0.2.1") != key("192.0.2.2"))
        #expect(try key("192.0.2.1") == key("::ffff:192.0.2.1"))
    }

    @Test(
        "the client's address is read from a trusted proxy's field, from right to left",
        arguments: [
            ("203.0.113.9", "203.0.113.9"),
            ("6.6.6.6, 203.0.113.9", "203.0.113.9"),
            ("6.6.6.6, 203.0.113.9, 127.0.0.1", "203.0.113.9"),
            ("203.0.113.9:4711", "203.0.113.9"),
            ("2001:db8::1", "2001:db8::1"),
            ("[2001:db8::1]:4711", "2001:db8::1"),
            ("::ffff:203.0.113.9", "203.0.113.9"),
            ("nonsense", "127.0.0.1"),
            ("203.0.113.9, nonsense", "127.0.0.1"),
            ("203.0.113.9, ", "127.0.0.1"),
        ])
    func forwarded(field: String, address: String) async throws {
        try await GatewayFixture.with {
            $0.trustedProxies = TrustedProxies([try! IPNetwork.required("127.0.0.0/8")])
        } _: { fixture in
            _ = try await fixture.login("nobody@b.c", headers: [("X-Forwarded-For", field)])
            #expect(fixture.lines.audit.last?["address"]?.string == address)
        }
    }

    @Test("an entry of a client changes no entry of a proxy", arguments: JoiningMarks.all)
    func joinedEntries(mark: String) throws {
        let proxies = TrustedProxies([try IPNetwork.required("127.0.0.0/8")])
        for field in [
            "\(mark), 203.0.113.9", "\(mark),203.0.113.9", "6.6.6.6\(mark), 203.0.113.9",
            "6.6.6.6 \(mark), 203.0.113.9:4711", "[::1]\(mark),\t203.0.113.9, 127.0.0.2",
        ] {
            let client = proxies.client(behind: IPAddress("127.0.0.1"), forwardedFor: [field])
            #expect(client.description == "203.0.113.9", "\(field.unicodeScalars.map(\.value))")
        }
        for field in ["203.0.113.9\(mark)", "203.0.113.9:\(mark)80", "[::1\(mark)]", "[::1]\(mark):80"] {
            let client = proxies.client(behind: IPAddress("127.0.0.1"), forwardedFor: ["6.6.6.6, \(field)"])
            #expect(client.description == "127.0.0.1", "\(field.unicodeScalars.map(\.value))")
        }
    }

    @Test("several fields of forwarded addresses are combined into one list")
    func severalFields() async throws {
        try await GatewayFixture.with {
            $0.trustedProxies = TrustedProxies([try! IPNetwork.required("127.0.0.1/32")])
        } _: { fixture in
            _ = try await fixture.login(
                "nobody@b.c", headers: [("X-Forwarded-For", "6.6.6.6"), ("X-Forwarded-For", "203.0.113.9, 127.0.0.1")])
            #expect(fixture.lines.audit.last?["address"]?.string == "203.0.113.9")
        }
    }

    @Test("forwarded addresses from other clients are ignored")
    func untrusted() async throws {
        try await GatewayFixture.with { fixture in
            _ = try await fixture.login("nobody@b.c", headers: [("X-Forwarded-For", "203.0.113.9")])
            #expect(fixture.lines.audit.last?["address"]?.string == "127.0.0.1")
        }
    }
}

/// The statuses of answers that came so far.
private final class Answered: Sendable {
    let statuses = Mutex<[Int]>([])
}

extension IPNetwork {
    static func required(_ text: String) throws -> IPNetwork {
        try #require(IPNetwork(text))
    }
}
