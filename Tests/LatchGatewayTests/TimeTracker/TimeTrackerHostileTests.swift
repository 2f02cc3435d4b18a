import Crypto
import Database
import FoundationEssentials
import HTTPMessages
import JOSE
import OAuth
import TestSupport
import Testing

@testable import GatewayCore
@testable import GatewayDialects
@testable import GatewayHTTP
@testable import LatchGateway
@testable import SignInBridge

@Suite("Attacks on the Time Tracker sign-in", .timeLimit(.minutes(20)))
struct TimeTrackerHostileTests {
    private static let ways = TimeTrackerSettings.Callback.allCases
    private static let unknown = "OIDC session not found or expired. Initiate login again."

    @Test("TT-4 a state can be used once, whether or not it succeeded", arguments: ways)
    func once(_ way: TimeTrackerSettings.Callback) async throws {
        try await TimeTrackerFixture.with(callback: way) { fixture in
            try await fixture.base.addPerson()
            let link = try await fixture.deepLink()
            #expect(try await fixture.exchange(link).status == 200)
            let again = try await fixture.exchange(link)
            #expect(again.status == 400 && again.json?["error"]?.string == Self.unknown)
        }
    }

    @Test("TT-4 of fifty concurrent requests with one state, one gets a token", arguments: ways)
    func concurrent(_ way: TimeTrackerSettings.Callback) async throws {
        try await TimeTrackerFixture.with(callback: way) { fixture in
            try await fixture.base.addPerson()
            let link = try await fixture.deepLink()
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<50 { group.addTask { try await fixture.exchange(link).status } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.count { $0 == 200 } == 1)
            #expect(statuses.count { $0 == 400 } == 49)
            #expect(try await fixture.base.gateway.stores.sessions.liveCount() == 1)
        }
    }

    @Test("TT-4 a wrong state, another client's state and another client's code get no token", arguments: ways)
    func otherClientsState(_ way: TimeTrackerSettings.Callback) async throws {
        try await TimeTrackerFixture.with(callback: way) { fixture in
            try await fixture.base.addPerson()
            let (mine, other) = (try await fixture.deepLink(), try await fixture.deepLink())
            for state in ["x", String(repeating: "A", count: 32), String(repeating: "A", count: 10_000)] {
                #expect(try await fixture.exchange(mine, state: state).status == 400)
            }
            // The state of another sign-in has another verifier: the code is worth nothing with it, and both are gone.
            #expect(try await fixture.exchange(mine, state: other["state"]).status == 400)
            #expect(try await fixture.exchange(other).status == 400)
            #expect(try await fixture.base.gateway.stores.sessions.liveCount() == 0)
        }
    }

    @Test("TT-4 a state with another redirect address is refused and invalidated", arguments: ways)
    func otherRedirect(_ way: TimeTrackerSettings.Callback) async throws {
        try await TimeTrackerFixture.with(callback: way) {
            $0.timeTracker.redirects.append("timetracker://other")
        } _: { fixture in
            try await fixture.base.addPerson()
            let link = try await fixture.deepLink()
            let response = try await fixture.exchange(link, redirect: "timetracker://other")
            #expect(response.status == 400)
            #expect(response.json?["error"]?.string?.contains("redirect_uri") == true)
            #expect(try await fixture.exchange(link).status == 400)
        }
    }

    @Test("TT-3 a state is valid for exactly ten minutes")
    func lifetime() async throws {
        // The provider's code lives on: what ends is the state.
        try await TimeTrackerFixture.with(callback: .app) { fixture in
            try await fixture.base.addPerson()
            let (early, late) = (try await fixture.deepLink(), try await fixture.deepLink())
            fixture.clock.advance(10 * minute - 1)
            #expect(try await fixture.exchange(early).status == 200)
            fixture.clock.advance(1)
            #expect(try await fixture.exchange(late).json?["error"]?.string == Self.unknown)
        }
    }

    @Test("TT-3 abandoned sign-ins of 256 addresses end no sign-in of another, and displace no codes", .onlySQLite)
    func flood() async throws {
        try await TimeTrackerFixture.with(callback: .app) { fixture in
            try await fixture.base.addPerson()
            let app = AppSignIn()
            let code = try await fixture.bridge.deepLink(app)["code"]
            let link = try await fixture.deepLink()
            let store = try fixture.base.gateway.bridge.orThrow.starts

            try await store.flood(addresses: 256, each: WaitingRequestStore.capacity / 256 + 4)

            let waiting = try await fixture.base.gateway.stores.database.waitingRequests()
            #expect(waiting <= WaitingRequestStore.capacity / 16 * 17)
            #expect(try await fixture.bridge.exchange(code, app.verifier).status == 200)
            #expect(try await fixture.exchange(link).status == 200)
            fixture.clock.advance(11 * minute)
            await store.sweep()
            #expect(try await fixture.base.gateway.stores.database.waitingRequests() == 0)
        }
    }

    @Test("TT-3 started sign-ins from one address are limited")
    func limited() async throws {
        try await TimeTrackerFixture.with {
            $0.timeTracker.startRate = RequestRate(5, in: .seconds(60))
        } _: { fixture in
            let path = "/tt/auth/login?redirect_uri=\(TimeTrackerFixture.redirect)"
            for _ in 0..<5 { #expect(try await fixture.http.send("GET", path).status == 302) }
            let response = try await fixture.http.send("GET", path)
            #expect(response.status == 429)
            #expect(response.headers["Retry-After"] != nil)
            #expect(response.json?["error"]?.string?.isEmpty == false)
            fixture.clock.advance(minute)
            #expect(try await fixture.http.send("GET", path).status == 302)
        }
    }

    @Test("TT-3 a redirect that is not listed, or is sent twice, is refused", arguments: ways)
    func redirects(_ way: TimeTrackerSettings.Callback) async throws {
        try await TimeTrackerFixture.with(callback: way) { fixture in
            let bad = [
                "redirect_uri=evil://oauth/callback", "redirect_uri=timetracker://oauth/callback/",
                "redirect_uri=timetracker://oauth/callback%3Fx=1", "redirect_uri=TimeTracker://oauth/callback",
                "redirect_uri=https://latch.example/tt/auth/callback", "redirect_uri=javascript:alert(1)",
                "redirect_uri=onyx://auth/callback",
                "redirect_uri=timetracker://oauth/callback&redirect_uri=timetracker://oauth/callback",
                "next=//evil.example",
            ]
            for query in bad {
                let response = try await fixture.http.send("GET", "/tt/auth/login?\(query)")
                #expect(response.status == 400, "\(query)")
                #expect(response.headers["Location"] == nil)
                #expect(response.json?["error"]?.string?.contains("evil") == false)
            }
        }
    }

    @Test("TT-3 login CSRF: another person's sign-in in this browser is refused without a redirect to an app")
    func loginCSRF() async throws {
        try await TimeTrackerFixture.with { fixture in
            try await fixture.base.addPerson("mallory@example.org")
            let mallory = fixture.bridge.browser()
            let request = try await fixture.begin(mallory)
            let fields = try fixture.bridge.google.approve(
                request, .init(subject: "mallory-1", email: "mallory@example.org"))

            let victim = fixture.bridge.browser()
            _ = try await fixture.begin(victim)
            let response = try await fixture.returnToGateway(fields, in: victim)
            let program = try await fixture.http.send("GET", "/tt/auth/callback?\(FormURLEncoded.encode(fields))")

            #expect(response.status == 400 && response.headers["Location"] == nil)
            #expect(program.status == 400 && program.json == ["error": "Invalid session"])
            #expect(try fixture.bridge.google.exchanges == 0)
        }
    }

    @Test("A sign-in of one dialect cannot end in another dialect's app")
    func otherDialect() async throws {
        try await TimeTrackerFixture.with { fixture in
            try await fixture.base.addPerson()
            let browser = fixture.bridge.browser()
            let onyx = try await fixture.bridge.begin(AppSignIn(), in: browser)
            let mine = try await fixture.begin(browser)

            let one = try await fixture.returnToGateway(try fixture.bridge.google.approve(onyx), in: browser)
            let other = try await fixture.bridge.returnToGateway(try fixture.bridge.google.approve(mine), in: browser)

            #expect(one.status == 400 && one.headers["Location"] == nil)
            #expect(other.status == 400 && other.headers["Location"] == nil)
        }
    }

    @Test("TT-6 a token without a signature, signed with the public key for a secret, or with another key is refused")
    func forged() async throws {
        try await TimeTrackerFixture.with { fixture in
            try await fixture.base.addPerson()
            let token = try await fixture.token()
            let parts = token.split(separator: ".").map(String.init)
            func signed(_ header: JSONValue, _ sign: (String) throws -> [UInt8]) rethrows -> String {
                let input = Base64URL.encode(header.encoded()) + "." + parts[1]
                return input + "." + Base64URL.encode(try sign(input))
            }
            let keys = try await fixture.http.send("GET", "/tt/.well-known/jwks.json").body
            let otherKey = try SigningKey.generate(.es256)
            let rows = [
                (signed(["alg": "none", "typ": "at+jwt"]) { _ in [] }, "invalid algorithm"),
                (
                    signed(["alg": "HS256", "typ": "at+jwt"]) {
                        HMACSHA256.code(of: Array($0.utf8), key: Secret(bytes: keys)).bytes
                    }, "invalid algorithm"
                ),
                (
                    try signed(["alg": "ES256", "typ": "at+jwt"]) { try otherKey.signature(of: Array($0.utf8)) },
                    "invalid token"
                ),
                (parts[0] + "." + parts[1] + ".", "invalid token"), (token + "A", "invalid token"),
                (token.lowercased(), "jwt malformed"),
            ]
            for (forged, reason) in rows {
                let response = try await fixture.me(forged)
                #expect(response.status == 401, "\(reason)")
                #expect(response.json?["error"]?.string?.hasPrefix("Unauthorized: ") == true)
                if reason != "jwt malformed" { #expect(response.json == ["error": .string("Unauthorized: \(reason)")]) }
                #expect(try await fixture.base.me(forged).status == 403)
            }
            #expect(try await fixture.me(token).status == 200)
        }
    }

    @Test("If the store of codes or of waiting requests fails, the sign-in gets an error", arguments: ways)
    func brokenStore(_ way: TimeTrackerSettings.Callback) async throws {
        let store = BreakableCodeStore()
        try await TimeTrackerFixture.with(callback: way, codes: store) { fixture in
            try await fixture.base.addPerson()
            if way == .gateway {
                let link = try await fixture.deepLink()
                store.isBroken.turn(on: true)
                #expect(try await fixture.exchange(link).status == 503)
                store.isBroken.turn(on: false)
            }
            let database = fixture.base.gateway.stores.database
            func rename(_ old: String, to new: String) async throws {
                _ = try await database.write { try $0.run(Statement("ALTER TABLE \(old) RENAME TO \(new)")) }
            }

            let link = try await fixture.deepLink()
            try await rename("pending_requests", to: "missing_requests")
            #expect(try await fixture.exchange(link).status >= 500)
            let start = try await fixture.http.send("GET", "/tt/auth/login?redirect_uri=\(TimeTrackerFixture.redirect)")
            #expect(start.status >= 500)
            try await rename("missing_requests", to: "pending_requests")
            #expect(try await fixture.exchange(link).status == 200)
        }
    }
}
