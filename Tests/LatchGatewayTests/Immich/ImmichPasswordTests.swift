import Crypto
import FoundationEssentials
import HTTPMessages
import TestSupport
import Testing

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayDialects
@testable import GatewayHTTP
@testable import LatchGateway

/// Passwords that are changed, and those that must be, over HTTP.
@Suite(.timeLimit(.minutes(20)))
struct ImmichPasswordTests {
    private static let new = "another horse 8"

    @Test("IM-12 a password is changed by the old one; this session goes on and every other ends")
    func changes() async throws {
        try await ImmichBench.with { bench in
            let (token, other) = (try await bench.token(), try await bench.bench.token())
            let body: JSONValue = ["password": .string(Bench.password), "newPassword": .string(Self.new)]

            let answer = try await bench.send("POST", "/auth/change-password", token, body)

            #expect(answer.status == 200)
            #expect(answer.json?["email"]?.string == Bench.email)
            #expect(try await bench.send("GET", "/users/me", token).status == 200)
            #expect(try await bench.send("GET", "/users/me", other).status == 401)
            #expect(try await bench.bench.me(other).status == 403)
            #expect(try await bench.login().status == 401)
            #expect(try await bench.login(password: Self.new).status == 201)
        }
    }

    @Test(
        "IM-12 without the old password, or with too short a new one, nothing changes",
        arguments: [
            (#"{"password":"wrong","newPassword":"another horse 8"}"#, "Wrong password"),
            (#"{"password":"correct horse 7","newPassword":"short"}"#, "Validation failed"),
            (#"{"newPassword":"another horse 8"}"#, "Validation failed"), ("{}", "Validation failed"),
        ])
    func refuses(_ body: String, _ sentence: String) async throws {
        try await ImmichBench.with { bench in
            let body = try JSONValue(parsing: Array(body.utf8))
            let answer = try await bench.send("POST", "/auth/change-password", try await bench.token(), body)
            #expect(answer.status == 400)
            #expect(answer.refusal == sentence)
            #expect(try await bench.login().status == 201)
        }
    }

    @Test("IM-12 guesses at the old password are bounded like sign-ins")
    func bounds() async throws {
        try await ImmichBench.with {
            $0.accountLimit.attempts = 2
        } _: { bench in
            let token = try await bench.token()
            let body: JSONValue = ["password": "wrong", "newPassword": .string(Self.new)]
            for _ in 0..<2 { _ = try await bench.send("POST", "/auth/change-password", token, body) }
            #expect(try await bench.send("POST", "/auth/change-password", token, body).status == 429)
        }
    }

    /// Ada with a password that an administrator gave her.
    private func mustChange(_ bench: ImmichBench) async throws -> String {
        let people = bench.bench.gateway.stores.people
        try await people.setPassword(Secret(Bench.password), of: try await bench.person().id, mustChange: true)
        let answer = try await bench.login()
        #expect(answer.json?["shouldChangePassword"] == true)
        return try (answer.json?["accessToken"]?.string).orThrow
    }

    @Test(
        "IM-12 who must change the password does so by any of the three forms, once",
        arguments: [("PUT", "/auth/change-password"), ("PUT", "/users/me"), ("PATCH", "/users/me")])
    func isForced(_ method: String, _ path: String) async throws {
        try await ImmichBench.with { bench in
            let token = try await mustChange(bench)
            let other = try await bench.token()
            #expect(try await bench.send("GET", "/users/me", token).json?["shouldChangePassword"] == true)

            let answer = try await bench.send(method, path, token, ["password": .string(Self.new)])

            #expect(answer.status == 200)
            #expect(answer.json?["shouldChangePassword"] == false)
            #expect(try await bench.send("GET", "/users/me", token).json?["shouldChangePassword"] == false)
            #expect(try await bench.send("GET", "/users/me", other).status == 401)
            #expect(try await bench.login(password: Self.new).json?["shouldChangePassword"] == false)
            let again = try await bench.send(method, path, token, ["password": "a third horse 9"])
            #expect(again.status == 400)
            #expect(again.refusal?.hasPrefix("The current password is required") == true)
        }
    }

    @Test("IM-12 a change by the old password leaves the duty to change it, as 3.1.0 does")
    func leavesTheDuty() async throws {
        try await ImmichBench.with { bench in
            let token = try await mustChange(bench)
            let body: JSONValue = ["password": .string(Bench.password), "newPassword": .string(Self.new)]
            let answer = try await bench.send("POST", "/auth/change-password", token, body)
            #expect(answer.json?["shouldChangePassword"] == true)
        }
    }

    @Test("IM-12 the password that was given is no new one, and a weak one is none")
    func wantsANewOne() async throws {
        try await ImmichBench.with { bench in
            let token = try await mustChange(bench)
            for password in [Bench.password, "short"] {
                let answer = try await bench.send(
                    "PUT", "/auth/change-password", token, ["password": .string(password)])
                #expect(answer.status == 400)
            }
            #expect(try await bench.send("GET", "/users/me", token).json?["shouldChangePassword"] == true)
        }
    }

    @Test("a token alone changes no password: what was stolen for an hour does not become the account")
    func needsMoreThanAToken() async throws {
        try await ImmichBench.with { bench in
            let token = try await bench.token()
            for (method, path) in [("PUT", "/auth/change-password"), ("PUT", "/users/me"), ("PATCH", "/users/me")] {
                let answer = try await bench.send(method, path, token, ["password": .string(Self.new)])
                #expect(answer.status == 400)
            }
            #expect(try await bench.login().status == 201)
        }
    }

    @Test("name and colour are changed by their person, and shown at once")
    func changesTheProfile() async throws {
        try await ImmichBench.with { bench in
            let token = try await bench.token()
            let answer = try await bench.send("PATCH", "/users/me", token, ["name": "Ada L.", "avatarColor": "amber"])
            #expect(answer.status == 200)
            let me = try await bench.send("GET", "/users/me", token).json
            #expect(me?["name"]?.string == "Ada L." && me?["avatarColor"]?.string == "amber")
            #expect(try await bench.send("PUT", "/users/me", token, ["avatarColor": "mud"]).status == 400)
            #expect(try await bench.send("PUT", "/users/me", token, ["avatarColor": nil]).status == 200)
            #expect(try await bench.bench.me(token).json?["personalization"]?["name"]?.string == "Ada L.")
        }
    }

    @Test("an e-mail address is changed only where that is allowed, to one that is nobody's")
    func changesTheAddress() async throws {
        try await ImmichBench.with { bench in
            let token = try await bench.token()
            #expect(try await bench.send("PUT", "/users/me", token, ["email": "new@example.org"]).status == 400)
            #expect(try await bench.send("PUT", "/users/me", token, ["email": "ADA@example.org"]).status == 200)
        }
        try await ImmichBench.with {
            $0.immich.allowsEmailChange = true
        } _: { bench in
            try await bench.bench.addPerson("bob@example.org")
            let token = try await bench.token()
            let taken = try await bench.send("PUT", "/users/me", token, ["email": "Bob@example.org"])
            #expect(taken.refusal == "Email is not available")
            #expect(try await bench.send("PUT", "/users/me", token, ["email": "New@example.org"]).status == 200)
            #expect(try await bench.login("new@example.org").status == 201)
            bench.bench.clock.advance(hour)
            let late = try await bench.send("PUT", "/users/me", token, ["email": "newer@example.org"])
            #expect(late.refusal?.hasPrefix("Sign in again") == true)
        }
    }

    @Test("the first person becomes administrator where that is allowed, and nobody after that")
    func signsUp() async throws {
        func settings(_ settings: inout GatewaySettings) {
            settings.immich.isEnabled = true
            settings.immich.prefix = "/immich/api"
        }
        let body: JSONValue = ["email": "root@local", "password": .string(Self.new), "name": "Root"]
        try await Bench.with(settings) { bench in
            let refused = try await ImmichBench(bench: bench).send("POST", "/auth/admin-sign-up", nil, body)
            #expect(refused.status == 400)
            #expect(try await bench.gateway.stores.people.list().isEmpty)
        }
        try await Bench.with {
            settings(&$0)
            $0.immich.allowsAdminSignUp = true
        } _: { bench in
            let immich = ImmichBench(bench: bench)
            let answers = try await withThrowingTaskGroup(of: Exchange.Answer.self) { group in
                for number in 0..<4 {
                    group.addTask {
                        try await immich.send(
                            "POST", "/auth/admin-sign-up", nil,
                            ["email": .string("root\(number)@local"), "password": .string(Self.new), "name": "Root"])
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.count { $0.status == 201 } == 1)
            #expect(answers.first { $0.status == 201 }?.json?["isAdmin"] == true)
            #expect(answers.filter { $0.status != 201 }.allSatisfy { $0.refusal == "The server already has an admin" })
            #expect(try await bench.gateway.stores.people.list().count == 1)
        }
    }
}
