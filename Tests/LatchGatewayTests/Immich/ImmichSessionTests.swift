import FoundationEssentials
import HTTPMessages
import TestSupport
import Testing

@testable import GatewayCore
@testable import GatewayDialects
@testable import GatewayHTTP
@testable import LatchGateway

/// A person's own sessions, over HTTP.
@Suite(.timeLimit(.minutes(20)))
struct ImmichSessionTests {
    private func list(_ fixture: ImmichFixture, _ token: String) async throws -> [JSONValue] {
        try (try await fixture.send("GET", "/sessions", token).json?.array).orThrow
    }

    private func id(_ fixture: ImmichFixture, _ token: String) async throws -> String {
        let current = try await list(fixture, token).first { $0["current"] == true }
        return try (current?["id"]?.string).orThrow
    }

    @Test("the sessions of all dialects are listed, the last used first, each with a stable UUID")
    func lists() async throws {
        try await ImmichFixture.with { fixture in
            _ = try await fixture.base.token()
            fixture.base.clock.advance(hour)
            let agent = ("User-Agent", "immich-android/3.1.0")
            let response = try await fixture.login(headers: [
                agent, ("deviceModel", "Pixel 7"), ("deviceType", "Android"),
            ])
            let token = try (response.json?["accessToken"]?.string).orThrow

            let sessions = try await list(fixture, token)

            #expect(sessions.count == 2)
            #expect(sessions.first?["current"] == true && sessions.last?["current"] == false)
            #expect(sessions.first?["deviceType"]?.string == "Pixel 7")
            #expect(sessions.first?["deviceOS"]?.string == "Android")
            #expect(sessions.first?["appVersion"]?.string == "3.1.0")
            #expect(sessions.last?["appVersion"] == .null)
            #expect(sessions.allSatisfy { ($0["id"]?.string).flatMap(ImmichRouting.id) != nil })
            #expect(try await list(fixture, token).map { $0["id"] } == sessions.map { $0["id"] })
            #expect(sessions.allSatisfy { $0["token"] == nil })
        }
    }

    @Test("one session is ended by its id, or all but this one")
    func ends() async throws {
        try await ImmichFixture.with { fixture in
            let tokens = [try await fixture.token(), try await fixture.token(), try await fixture.base.token()]
            #expect(
                try await fixture.send("DELETE", "/sessions/\(try await id(fixture, tokens[1]))", tokens[0]).status
                    == 204)
            #expect(try await fixture.send("GET", "/users/me", tokens[1]).status == 401)
            #expect(try await fixture.send("DELETE", "/sessions", tokens[0]).status == 204)
            #expect(try await fixture.send("GET", "/users/me", tokens[0]).status == 200)
            #expect(try await fixture.base.me(tokens[2]).status == 403)
        }
    }

    @Test("another person's session is not found, and an invalid UUID is refused")
    func refusesOthersSessions() async throws {
        try await ImmichFixture.with { fixture in
            try await fixture.base.addPerson("bob@example.org")
            let bob = try (try await fixture.login("bob@example.org").json?["accessToken"]?.string).orThrow
            let token = try await fixture.token()
            let bobsID = try await id(fixture, bob)
            for (method, path) in [("DELETE", ""), ("PUT", ""), ("POST", "/lock")] {
                let response = try await fixture.send(method, "/sessions/\(bobsID)\(path)", token, [:])
                #expect(response.status == 400)
                #expect(response.refusal?.hasPrefix("Not found or no ") == true)
            }
            #expect(try await fixture.send("DELETE", "/sessions/7", token).refusal == "Validation failed")
            #expect(try await fixture.send("GET", "/users/me", bob).status == 200)
        }
    }

    @Test("another session can request a full synchronization of a session, and lock it")
    func updates() async throws {
        try await ImmichFixture.with { fixture in
            let (token, other) = (try await fixture.token(), try await fixture.token())
            let path = "/sessions/\(try await id(fixture, other))"
            let response = try await fixture.send("PUT", path, token, ["isPendingSyncReset": true])
            #expect(response.status == 200)
            #expect(response.json?["isPendingSyncReset"] == true)
            _ = try await fixture.send("POST", "/auth/pin-code", token, ["pinCode": "123456"])
            _ = try await fixture.send("POST", "/auth/session/unlock", other, ["pinCode": "123456"])
            #expect(try await fixture.send("POST", path + "/lock", token).status == 204)
            #expect(try await fixture.send("GET", "/auth/status", other).json?["isElevated"] == false)
        }
    }

    /// A session made from another.
    private func child(_ fixture: ImmichFixture, _ token: String, _ body: JSONValue = [:]) async throws
        -> Exchange.Response
    {
        try await fixture.send("POST", "/sessions", token, body)
    }

    @Test("a session created from another expires if the other is not used, even if it is used itself")
    func expiresWithParent() async throws {
        try await ImmichFixture.with { fixture in
            let (unused, used) = (try await fixture.token(), try await fixture.token())
            let dead = try (try await child(fixture, unused).json?["token"]?.string).orThrow
            let live = try (try await child(fixture, used).json?["token"]?.string).orThrow
            for _ in 0..<2 {
                fixture.base.clock.advance(3 * day)
                for token in [dead, live, used] {
                    #expect(try await fixture.send("GET", "/users/me", token).status == 200)
                }
                try await fixture.base.gateway.issuer.flush()
            }
            fixture.base.clock.advance(2 * day)
            #expect(try await fixture.send("GET", "/users/me", used).status == 200)
            #expect(try await fixture.send("GET", "/users/me", live).status == 200)
            #expect(try await fixture.send("GET", "/users/me", dead).status == 401)
            let sessions = fixture.base.gateway.stores.sessions
            #expect(try await sessions.purge(olderThan: .seconds(30 * 86_400)) == 0)
            #expect(try await sessions.ownSessions(of: try await fixture.person().id).count == 2)
        }
    }

    @Test("a session created from another ends with it, whichever dialect ends that", arguments: [true, false])
    func endsWithParent(_ byOnyx: Bool) async throws {
        try await ImmichFixture.with { fixture in
            let token = try await fixture.token()
            let response = try await child(
                fixture, token, ["deviceType": "Screen", "deviceOS": "Cast", "duration": 3600])
            #expect(response.status == 201)
            #expect(response.json?["deviceType"]?.string == "Screen")
            let screen = try (response.json?["token"]?.string).orThrow
            #expect(try await fixture.send("GET", "/users/me", screen).status == 200)
            #expect(try await child(fixture, screen).status == 400)

            if byOnyx {
                #expect(try await fixture.base.logout(token).status == 204)
            } else {
                #expect(try await fixture.send("POST", "/auth/logout", token).status == 200)
            }

            #expect(try await fixture.send("GET", "/users/me", screen).status == 401)
        }
    }

    @Test("a session with a duration ends after that, however much it is used")
    func endsAfterDuration() async throws {
        try await ImmichFixture.with { fixture in
            let screen = try
                (try await child(fixture, try await fixture.token(), ["duration": 600]).json?["token"]?.string)
                .orThrow
            fixture.base.clock.advance(590)
            #expect(try await fixture.send("GET", "/users/me", screen).status == 200)
            fixture.base.clock.advance(20)
            #expect(try await fixture.send("GET", "/users/me", screen).status == 401)
        }
    }

    @Test("an invalid duration is refused", arguments: [0, -1])
    func refusesDurations(_ seconds: Int) async throws {
        try await ImmichFixture.with { fixture in
            let response = try await child(
                fixture, try await fixture.token(), ["duration": .number(Double(seconds))])
            #expect(response.status == 400)
        }
    }
}
