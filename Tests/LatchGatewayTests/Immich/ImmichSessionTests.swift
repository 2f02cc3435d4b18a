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
    private func list(_ bench: ImmichBench, _ token: String) async throws -> [JSONValue] {
        try (try await bench.send("GET", "/sessions", token).json?.array).orThrow
    }

    private func id(_ bench: ImmichBench, _ token: String) async throws -> String {
        let current = try await list(bench, token).first { $0["current"] == true }
        return try (current?["id"]?.string).orThrow
    }

    @Test("the sessions of all dialects are listed, the one used last first, each with a UUID that stays")
    func lists() async throws {
        try await ImmichBench.with { bench in
            _ = try await bench.bench.token()
            bench.bench.clock.advance(hour)
            let agent = ("User-Agent", "immich-android/3.1.0")
            let answer = try await bench.login(headers: [agent, ("deviceModel", "Pixel 7"), ("deviceType", "Android")])
            let token = try (answer.json?["accessToken"]?.string).orThrow

            let sessions = try await list(bench, token)

            #expect(sessions.count == 2)
            #expect(sessions.first?["current"] == true && sessions.last?["current"] == false)
            #expect(sessions.first?["deviceType"]?.string == "Pixel 7")
            #expect(sessions.first?["deviceOS"]?.string == "Android")
            #expect(sessions.first?["appVersion"]?.string == "3.1.0")
            #expect(sessions.last?["appVersion"] == .null)
            #expect(sessions.allSatisfy { ($0["id"]?.string).flatMap(ImmichRouting.id) != nil })
            #expect(try await list(bench, token).map { $0["id"] } == sessions.map { $0["id"] })
            #expect(sessions.allSatisfy { $0["token"] == nil })
        }
    }

    @Test("one session is ended by its id, or all but this one")
    func ends() async throws {
        try await ImmichBench.with { bench in
            let tokens = [try await bench.token(), try await bench.token(), try await bench.bench.token()]
            #expect(
                try await bench.send("DELETE", "/sessions/\(try await id(bench, tokens[1]))", tokens[0]).status == 204)
            #expect(try await bench.send("GET", "/users/me", tokens[1]).status == 401)
            #expect(try await bench.send("DELETE", "/sessions", tokens[0]).status == 204)
            #expect(try await bench.send("GET", "/users/me", tokens[0]).status == 200)
            #expect(try await bench.bench.me(tokens[2]).status == 403)
        }
    }

    @Test("another person's session is not found, and what is no UUID is refused")
    func keepsToOnesOwn() async throws {
        try await ImmichBench.with { bench in
            try await bench.bench.addPerson("bob@example.org")
            let bob = try (try await bench.login("bob@example.org").json?["accessToken"]?.string).orThrow
            let token = try await bench.token()
            let foreign = try await id(bench, bob)
            for (method, path) in [("DELETE", ""), ("PUT", ""), ("POST", "/lock")] {
                let answer = try await bench.send(method, "/sessions/\(foreign)\(path)", token, [:])
                #expect(answer.status == 400)
                #expect(answer.refusal?.hasPrefix("Not found or no ") == true)
            }
            #expect(try await bench.send("DELETE", "/sessions/7", token).refusal == "Validation failed")
            #expect(try await bench.send("GET", "/users/me", bob).status == 200)
        }
    }

    @Test("a session can be told to fetch everything anew, and be locked from another")
    func updates() async throws {
        try await ImmichBench.with { bench in
            let (token, other) = (try await bench.token(), try await bench.token())
            let path = "/sessions/\(try await id(bench, other))"
            let answer = try await bench.send("PUT", path, token, ["isPendingSyncReset": true])
            #expect(answer.status == 200)
            #expect(answer.json?["isPendingSyncReset"] == true)
            _ = try await bench.send("POST", "/auth/pin-code", token, ["pinCode": "123456"])
            _ = try await bench.send("POST", "/auth/session/unlock", other, ["pinCode": "123456"])
            #expect(try await bench.send("POST", path + "/lock", token).status == 204)
            #expect(try await bench.send("GET", "/auth/status", other).json?["isElevated"] == false)
        }
    }

    /// A session made from another.
    private func child(_ bench: ImmichBench, _ token: String, _ body: JSONValue = [:]) async throws -> Exchange.Answer {
        try await bench.send("POST", "/sessions", token, body)
    }

    @Test("a session made from another expires when that is not used, however much it is used itself")
    func expiresWithItsParent() async throws {
        try await ImmichBench.with { bench in
            let (unused, used) = (try await bench.token(), try await bench.token())
            let dead = try (try await child(bench, unused).json?["token"]?.string).orThrow
            let live = try (try await child(bench, used).json?["token"]?.string).orThrow
            for _ in 0..<2 {
                bench.bench.clock.advance(3 * day)
                for token in [dead, live, used] {
                    #expect(try await bench.send("GET", "/users/me", token).status == 200)
                }
                try await bench.bench.gateway.issuer.flush()
            }
            bench.bench.clock.advance(2 * day)
            #expect(try await bench.send("GET", "/users/me", used).status == 200)
            #expect(try await bench.send("GET", "/users/me", live).status == 200)
            #expect(try await bench.send("GET", "/users/me", dead).status == 401)
            let sessions = bench.bench.gateway.stores.sessions
            #expect(try await sessions.purge(olderThan: .seconds(30 * 86_400)) == 0)
            #expect(try await sessions.ownSessions(of: try await bench.person().id).count == 2)
        }
    }

    @Test("a session made from another ends with it, whichever dialect ends that", arguments: [true, false])
    func endsWithItsParent(_ byOnyx: Bool) async throws {
        try await ImmichBench.with { bench in
            let token = try await bench.token()
            let answer = try await child(bench, token, ["deviceType": "Screen", "deviceOS": "Cast", "duration": 3600])
            #expect(answer.status == 201)
            #expect(answer.json?["deviceType"]?.string == "Screen")
            let screen = try (answer.json?["token"]?.string).orThrow
            #expect(try await bench.send("GET", "/users/me", screen).status == 200)
            #expect(try await child(bench, screen).status == 400)

            if byOnyx {
                #expect(try await bench.bench.logout(token).status == 204)
            } else {
                #expect(try await bench.send("POST", "/auth/logout", token).status == 200)
            }

            #expect(try await bench.send("GET", "/users/me", screen).status == 401)
        }
    }

    @Test("it lives no longer than it was told, however much it is used")
    func endsInTime() async throws {
        try await ImmichBench.with { bench in
            let screen = try (try await child(bench, try await bench.token(), ["duration": 600]).json?["token"]?.string)
                .orThrow
            bench.bench.clock.advance(590)
            #expect(try await bench.send("GET", "/users/me", screen).status == 200)
            bench.bench.clock.advance(20)
            #expect(try await bench.send("GET", "/users/me", screen).status == 401)
        }
    }

    @Test("a duration that is none is refused", arguments: [0, -1])
    func refusesDurations(_ seconds: Int) async throws {
        try await ImmichBench.with { bench in
            let answer = try await child(
                bench, try await bench.token(), ["duration": .number(Double(seconds))])
            #expect(answer.status == 400)
        }
    }
}
