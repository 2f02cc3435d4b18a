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

    @Test("IM-12 a password is changed with the old one; this session continues and every other ends")
    func changes() async throws {
        try await ImmichFixture.with { fixture in
            let (token, other) = (try await fixture.token(), try await fixture.base.token())
            let body: JSONValue = ["password": .string(GatewayFixture.password), "newPassword": .string(Self.new)]

            let response = try await fixture.send("POST", "/auth/change-password", token, body)

            #expect(response.status == 200)
            #expect(response.json?["email"]?.string == GatewayFixture.email)
            #expect(try await fixture.send("GET", "/users/me", token).status == 200)
            #expect(try await fixture.send("GET", "/users/me", other).status == 401)
            #expect(try await fixture.base.me(other).status == 403)
            #expect(try await fixture.login().status == 401)
            #expect(try await fixture.login(password: Self.new).status == 201)
        }
    }

    @Test(
        "IM-12 without the old password, or with a new one that is too short, nothing changes",
        arguments: [
            (#"{"password":"wrong","newPassword":"another horse 8"}"#, "Wrong password"),
            (#"{"password":"correct horse 7","newPassword":"short"}"#, "Validation failed"),
            (#"{"newPassword":"another horse 8"}"#, "Validation failed"), ("{}", "Validation failed"),
        ])
    func refuses(_ body: String, _ sentence: String) async throws {
        try await ImmichFixture.with { fixture in
            let body = try JSONValue(parsing: Array(body.utf8))
            let response = try await fixture.send("POST", "/auth/change-password", try await fixture.token(), body)
            #expect(response.status == 400)
            #expect(response.refusal == sentence)
            #expect(try await fixture.login().status == 201)
        }
    }

    @Test("IM-12 guesses at the old password are limited like sign-ins")
    func limitsGuesses() async throws {
        try await ImmichFixture.with {
            $0.accountLimit.attempts = 2
        } _: { fixture in
            let token = try await fixture.token()
            let body: JSONValue = ["password": "wrong", "newPassword": .string(Self.new)]
            for _ in 0..<2 { _ = try await fixture.send("POST", "/auth/change-password", token, body) }
            #expect(try await fixture.send("POST", "/auth/change-password", token, body).status == 429)
        }
    }

    /// Ada with a password that an administrator gave her.
    private func mustChange(_ fixture: ImmichFixture) async throws -> String {
        let people = fixture.base.gateway.stores.people
        try await people.setPassword(
            Secret(GatewayFixture.password), of: try await fixture.person().id, mustChange: true)
        let response = try await fixture.login()
        #expect(response.json?["shouldChangePassword"] == true)
        return try (response.json?["accessToken"]?.string).orThrow
    }

    @Test(
        "IM-12 a person who must change the password can do so once, by any of the three routes",
        arguments: [("PUT", "/auth/change-password"), ("PUT", "/users/me"), ("PATCH", "/users/me")])
    func forcedChange(_ method: String, _ path: String) async throws {
        try await ImmichFixture.with { fixture in
            let token = try await mustChange(fixture)
            let other = try await fixture.token()
            #expect(try await fixture.send("GET", "/users/me", token).json?["shouldChangePassword"] == true)

            let response = try await fixture.send(method, path, token, ["password": .string(Self.new)])

            #expect(response.status == 200)
            #expect(response.json?["shouldChangePassword"] == false)
            #expect(try await fixture.send("GET", "/users/me", token).json?["shouldChangePassword"] == false)
            #expect(try await fixture.send("GET", "/users/me", other).status == 401)
            #expect(try await fixture.login(password: Self.new).json?["shouldChangePassword"] == false)
            let again = try await fixture.send(method, path, token, ["password": "a third horse 9"])
            #expect(again.status == 400)
            #expect(again.refusal?.hasPrefix("The current password is required") == true)
        }
    }

    @Test("IM-12 after a change with the old password, shouldChangePassword stays true as in 3.1.0")
    func keepsChangeRequirement() async throws {
        try await ImmichFixture.with { fixture in
            let token = try await mustChange(fixture)
            let body: JSONValue = ["password": .string(GatewayFixture.password), "newPassword": .string(Self.new)]
            let response = try await fixture.send("POST", "/auth/change-password", token, body)
            #expect(response.json?["shouldChangePassword"] == true)
        }
    }

    @Test("IM-12 the current password and a weak one are refused as the new password")
    func requiresNewPassword() async throws {
        try await ImmichFixture.with { fixture in
            let token = try await mustChange(fixture)
            for password in [GatewayFixture.password, "short"] {
                let response = try await fixture.send(
                    "PUT", "/auth/change-password", token, ["password": .string(password)])
                #expect(response.status == 400)
            }
            #expect(try await fixture.send("GET", "/users/me", token).json?["shouldChangePassword"] == true)
        }
    }

    @Test("a token without the password cannot change the password")
    func requiresPassword() async throws {
        try await ImmichFixture.with { fixture in
            let token = try await fixture.token()
            for (method, path) in [("PUT", "/auth/change-password"), ("PUT", "/users/me"), ("PATCH", "/users/me")] {
                let response = try await fixture.send(method, path, token, ["password": .string(Self.new)])
                #expect(response.status == 400)
            }
            #expect(try await fixture.login().status == 201)
        }
    }

    @Test("a person changes their name and colour, and both are shown at once")
    func changesTheProfile() async throws {
        try await ImmichFixture.with { fixture in
            let token = try await fixture.token()
            let response = try await fixture.send(
                "PATCH", "/users/me", token, ["name": "Ada L.", "avatarColor": "amber"])
            #expect(response.status == 200)
            let me = try await fixture.send("GET", "/users/me", token).json
            #expect(me?["name"]?.string == "Ada L." && me?["avatarColor"]?.string == "amber")
            #expect(try await fixture.send("PUT", "/users/me", token, ["avatarColor": "mud"]).status == 400)
            #expect(try await fixture.send("PUT", "/users/me", token, ["avatarColor": nil]).status == 200)
            #expect(try await fixture.base.me(token).json?["personalization"]?["name"]?.string == "Ada L.")
        }
    }

    @Test("an e-mail address is changed only if that is allowed, and only to an unused one")
    func changesTheAddress() async throws {
        try await ImmichFixture.with { fixture in
            let token = try await fixture.token()
            #expect(try await fixture.send("PUT", "/users/me", token, ["email": "new@example.org"]).status == 400)
            #expect(try await fixture.send("PUT", "/users/me", token, ["email": "ADA@example.org"]).status == 200)
        }
        try await ImmichFixture.with {
            $0.immich.allowsEmailChange = true
        } _: { fixture in
            try await fixture.base.addPerson("bob@example.org")
            let token = try await fixture.token()
            let conflict = try await fixture.send("PUT", "/users/me", token, ["email": "Bob@example.org"])
            #expect(conflict.refusal == "Email is not available")
            #expect(try await fixture.send("PUT", "/users/me", token, ["email": "New@example.org"]).status == 200)
            #expect(try await fixture.login("new@example.org").status == 201)
            fixture.base.clock.advance(hour)
            let late = try await fixture.send("PUT", "/users/me", token, ["email": "newer@example.org"])
            #expect(late.refusal?.hasPrefix("Sign in again") == true)
        }
    }

    @Test("only the first person becomes administrator, if that is allowed")
    func signsUp() async throws {
        func settings(_ settings: inout GatewaySettings) {
            settings.immich.isEnabled = true
            settings.immich.prefix = "/immich/api"
        }
        let body: JSONValue = ["email": "root@local", "password": .string(Self.new), "name": "Root"]
        try await GatewayFixture.with(settings) { fixture in
            let refused = try await ImmichFixture(base: fixture).send("POST", "/auth/admin-sign-up", nil, body)
            #expect(refused.status == 400)
            #expect(try await fixture.gateway.stores.people.list().isEmpty)
        }
        try await GatewayFixture.with {
            settings(&$0)
            $0.immich.allowsAdminSignUp = true
        } _: { fixture in
            let immich = ImmichFixture(base: fixture)
            let answers = try await withThrowingTaskGroup(of: Exchange.Response.self) { group in
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
            #expect(try await fixture.gateway.stores.people.list().count == 1)
        }
    }
}
