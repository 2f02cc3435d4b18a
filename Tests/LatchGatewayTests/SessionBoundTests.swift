import Crypto
import Database
import FoundationEssentials
import HTTPMessages
import HTTPServer
import Testing

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayHTTP
@testable import LatchGateway

/// The bounds on a person's sessions and changes.
@Suite(.timeLimit(.minutes(20)))
struct SessionBoundTests {
    @Test("beyond the maximum a person's oldest session ends at once, with a line in the audit log; others keep theirs")
    func oldestEnds() async throws {
        try await Bench.with({ $0.sessions.maximumPerPerson = 5 }) { bench in
            try await bench.addPerson()
            try await bench.addPerson("bob@example.org")
            let bob = try #require(try await bench.login("bob@example.org").token)
            var tokens: [String] = []
            for _ in 0..<8 {
                tokens.append(try await bench.token())
                #expect(try await bench.me(tokens.last).status == 200)
                bench.clock.advance(1)
            }
            for (number, token) in tokens.enumerated() {
                #expect(try await bench.me(token).status == (number < 3 ? 403 : 200), "\(number)")
            }
            #expect(try await bench.me(bob).status == 200)
            #expect(try await bench.gateway.stores.sessions.liveCount() == 6)
            let told = bench.lines.audit.filter { $0["reason"]?.string == "too-many-sessions" }
            #expect(told.count == 3 && told.allSatisfy { $0["session"] != nil })
        }
    }

    @Test("sessions created from another session end before that session")
    func children() async throws {
        try await ImmichBench.with({ $0.sessions.maximumPerPerson = 4 }) { bench in
            let (first, second) = (try await bench.token(), try await bench.token())
            for _ in 0..<6 {
                #expect(try await bench.send("POST", "/sessions", first, [:]).status == 201)
                bench.bench.clock.advance(1)
            }
            for token in [first, second] { #expect(try await bench.send("GET", "/users/me", token).status == 200) }
            #expect(try await bench.bench.gateway.stores.sessions.liveCount() == 4)
        }
    }

    @Test("a session that asks for another one is not ended for it, even if it is the oldest")
    func asking() async throws {
        try await ImmichBench.with({ $0.sessions.maximumPerPerson = 4 }) { bench in
            let oldest = try await bench.token()
            for _ in 0..<3 {
                bench.bench.clock.advance(1)
                _ = try await bench.token()
            }
            #expect(try await bench.send("POST", "/sessions", oldest, [:]).status == 201)
            #expect(try await bench.send("GET", "/users/me", oldest).status == 200)
            #expect(try await bench.bench.gateway.stores.sessions.liveCount() == 4)
        }
    }

    @Test("the account page shows every session, however many newer ones there are")
    func allAreShown() async throws {
        try await Bench.withPages({ $0.sessions.maximumPerPerson = 1_000 }) { bench in
            let ada = PageBrowser(bench)
            _ = try await ada.signIn()
            let person = try await bench.gateway.stores.people.require(Bench.email)
            let hidden = try await bench.gateway.issuer.issue(for: person, device: SessionDevice(name: "the intruder"))
            bench.clock.advance(1)
            for _ in 0..<250 { _ = try await bench.gateway.issuer.issue(for: person, device: SessionDevice()) }
            let page = try await ada.get("/latch/account").text
            #expect(page.contains("the intruder") && page.contains(hidden.session.rawValue))
        }
    }

    @Test("a session is found by its UUID, also one from before the column, and never another person's")
    func byUUID() async throws {
        try await Bench.with { bench in
            let people = [try await bench.addPerson(), try await bench.addPerson("bob@example.org")]
            let sessions = bench.gateway.stores.sessions
            for isOld in [false, true] {
                let made = try await bench.gateway.issuer.issue(for: people[0], device: SessionDevice())
                let forget = Statement("UPDATE sessions SET uuid = NULL WHERE id = ?", String.self)
                let id = made.session
                if isOld { _ = try await bench.gateway.stores.database.write { try $0.run(forget, id.rawValue) } }
                #expect(try await sessions.ownSession(uuid: id.uuid, of: people[0].id)?.id == id)
                #expect(try await sessions.ownSession(uuid: id.uuid, of: people[1].id) == nil)
                #expect(try await sessions.end(id, of: people[0].id))
                #expect(try await sessions.ownSession(uuid: id.uuid, of: people[0].id) == nil)
            }
        }
    }

    @Test(
        "a person's changes are limited in every dialect and on the pages, with 429 and how long to wait; signing out is not"
    )
    func writes() async throws {
        let rows: [(String, String, JSONValue?)] = [
            ("POST", "/immich/api/sessions", nil), ("PUT", "/immich/api/users/me", ["name": "Ada"]),
            ("POST", "/latch/account/devices/{}/end", nil), ("PUT", "/rm/api/profile", ["displayName": "Ada"]),
            ("POST", "/api/auth/mobile/refresh", nil),
        ]
        try await EveryDialect.with({ settings in
            settings.requestRates.writes = .perMinute(3)
            settings.requestRates.general = .perMinute(3)
        }) { gateway in
            let stores = gateway.bench.gateway.stores
            for (number, row) in rows.enumerated() {
                let person = try await stores.people.add(
                    email: "person\(number)@example.org", password: Secret(Bench.password))
                let token = try await gateway.token(of: person)
                let route = try #require(
                    gateway.routes.first { $0.method.rawValue == row.0 && $0.pattern == row.1 }, "\(row.1)")
                for _ in 0..<3 { #expect(try await gateway.send(route, token, body: row.2).status < 400, "\(row.1)") }
                let limited = try await gateway.send(route, token, body: row.2)
                #expect(limited.status == 429 && limited.headers["Retry-After"] == "20", "\(row.1)")
                for path in ["/latch/sign-out", "/immich/api/auth/logout"] {
                    let end = try #require(gateway.routes.first { $0.method == .post && $0.pattern == path })
                    let ended = try await gateway.send(end, try await gateway.token(of: person))
                    #expect(ended.status == 303 || ended.status == 200, "\(path)")
                }
            }
        }
    }
}
