import Crypto
import Database
import FoundationEssentials
import HTTPMessages
import HTTPServer
import TestSupport
import Testing

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayHTTP
@testable import LatchGateway

/// The bounds on a person's sessions and changes.
@Suite(.timeLimit(.minutes(20)))
struct SessionBoundTests {
    @Test("above the maximum a person's oldest session ends at once, with a line in the audit log")
    func endsOldest() async throws {
        try await GatewayFixture.with({ $0.sessions.maximumPerPerson = 5 }) { fixture in
            try await fixture.addPerson()
            try await fixture.addPerson("bob@example.org")
            let bob = try #require(try await fixture.login("bob@example.org").token)
            var tokens: [String] = []
            for _ in 0..<8 {
                tokens.append(try await fixture.token())
                #expect(try await fixture.me(tokens.last).status == 200)
                fixture.clock.advance(1)
            }
            for (number, token) in tokens.enumerated() {
                #expect(try await fixture.me(token).status == (number < 3 ? 403 : 200), "\(number)")
            }
            #expect(try await fixture.me(bob).status == 200)
            #expect(try await fixture.gateway.stores.sessions.liveCount() == 6)
            let entries = fixture.lines.audit.filter { $0["reason"]?.string == "too-many-sessions" }
            #expect(entries.count == 3 && entries.allSatisfy { $0["session"] != nil })
        }
    }

    @Test("sessions created from another session end before that session")
    func children() async throws {
        try await ImmichFixture.with({ $0.sessions.maximumPerPerson = 4 }) { fixture in
            let (first, second) = (try await fixture.token(), try await fixture.token())
            for _ in 0..<6 {
                #expect(try await fixture.send("POST", "/sessions", first, [:]).status == 201)
                fixture.base.clock.advance(1)
            }
            for token in [first, second] { #expect(try await fixture.send("GET", "/users/me", token).status == 200) }
            #expect(try await fixture.base.gateway.stores.sessions.liveCount() == 4)
        }
    }

    @Test("devices that were allowed in a session displace each other, and not the person's own sessions")
    func devices() async throws {
        try await GatewayFixture.with({ $0.sessions.maximumPerPerson = 10 }) { fixture in
            try await fixture.addPerson()
            let (stores, issuer) = (fixture.gateway.stores, fixture.gateway.issuer)
            let ada = try await stores.people.require(GatewayFixture.email)
            let stolen = try await issuer.issue(for: ada, device: SessionDevice()).session
            fixture.clock.advance(1)
            let own = try await issuer.issue(for: ada, device: SessionDevice()).session
            for _ in 0..<20 {
                fixture.clock.advance(1)
                let device = try await issuer.issue(for: ada, device: SessionDevice(), authenticated: .distantPast)
                try await stores.sessions.record(browser: stolen, of: device.session)
            }
            let live = try await stores.sessions.live(of: ada.id).map(\.id)
            #expect(live.count == 10 && live.contains(own) && live.contains(stolen))
        }
    }

    @Test("a session that creates another one is not ended for it, even if it is the oldest")
    func requestingSession() async throws {
        try await ImmichFixture.with({ $0.sessions.maximumPerPerson = 4 }) { fixture in
            let oldest = try await fixture.token()
            for _ in 0..<3 {
                fixture.base.clock.advance(1)
                _ = try await fixture.token()
            }
            #expect(try await fixture.send("POST", "/sessions", oldest, [:]).status == 201)
            #expect(try await fixture.send("GET", "/users/me", oldest).status == 200)
            #expect(try await fixture.base.gateway.stores.sessions.liveCount() == 4)
        }
    }

    @Test("the account page shows every session, however many newer ones there are")
    func listsAllSessions() async throws {
        try await GatewayFixture.withPages({ $0.sessions.maximumPerPerson = 1_000 }) { fixture in
            let ada = PageBrowser(fixture)
            _ = try await ada.signIn()
            let person = try await fixture.gateway.stores.people.require(GatewayFixture.email)
            let hidden = try await fixture.gateway.issuer.issue(
                for: person, device: SessionDevice(name: "the intruder"))
            fixture.clock.advance(1)
            for _ in 0..<250 { _ = try await fixture.gateway.issuer.issue(for: person, device: SessionDevice()) }
            let page = try await ada.get("/latch/account").text
            #expect(page.contains("the intruder") && page.contains(hidden.session.rawValue))
        }
    }

    @Test("a session is found by its UUID, even from before the column existed, and never another person's")
    func byUUID() async throws {
        try await GatewayFixture.with { fixture in
            let people = [try await fixture.addPerson(), try await fixture.addPerson("bob@example.org")]
            let sessions = fixture.gateway.stores.sessions
            for isOld in [false, true] {
                let made = try await fixture.gateway.issuer.issue(for: people[0], device: SessionDevice())
                let forget = Statement("UPDATE sessions SET uuid = NULL WHERE id = ?", String.self)
                let id = made.session
                if isOld { _ = try await fixture.gateway.stores.database.write { try $0.run(forget, id.rawValue) } }
                let own = try #require(try await sessions.ownSession(uuid: id.uuid, of: people[0].id))
                #expect(own.id == id)
                #expect(try await sessions.ownSession(uuid: id.uuid, of: people[1].id) == nil)
                #expect(try await sessions.end(own, asking: Session(now: people[0], fixture.clock.now)) == 1)
                #expect(try await sessions.ownSession(uuid: id.uuid, of: people[0].id) == nil)
            }
        }
    }

    @Test(
        "a person's changes are limited in every dialect and on the pages, with 429 and how long to wait; signing out is not"
    )
    func writes() async throws {
        // The session has half of the person's changes, and all of those that end access.
        let rows: [(String, String, JSONValue?, Int)] = [
            ("POST", "/immich/api/sessions", nil, 3), ("PUT", "/immich/api/users/me", ["name": "Ada"], 3),
            ("POST", "/latch/account/devices/{}/end", nil, 6), ("PUT", "/rm/api/profile", ["displayName": "Ada"], 3),
            ("POST", "/api/auth/mobile/refresh", nil, 3),
        ]
        try await EveryDialect.with({ settings in
            settings.requestRates.writes = .perMinute(6)
            settings.requestRates.general = .perMinute(3)
        }) { gateway in
            let stores = gateway.base.gateway.stores
            for (number, row) in rows.enumerated() {
                let person = try await stores.people.add(
                    email: "person\(number)@example.org", password: Secret(GatewayFixture.password))
                let token = try await gateway.token(of: person)
                let route = try #require(
                    gateway.routes.first { $0.method.rawValue == row.0 && $0.pattern == row.1 }, "\(row.1)")
                for _ in 0..<row.3 {
                    #expect(try await gateway.send(route, token, body: row.2).status < 400, "\(row.1)")
                }
                let limited = try await gateway.send(route, token, body: row.2)
                #expect(limited.status == 429 && limited.headers["Retry-After"] == "\(60 / row.3)", "\(row.1)")
                for path in ["/latch/sign-out", "/immich/api/auth/logout"] {
                    let end = try #require(gateway.routes.first { $0.method == .post && $0.pattern == path })
                    let ended = try await gateway.send(end, try await gateway.token(of: person))
                    #expect(ended.status == 303 || ended.status == 200, "\(path)")
                }
            }
        }
    }
}
