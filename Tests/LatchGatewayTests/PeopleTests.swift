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

@Suite(.timeLimit(.minutes(20)))
struct PeopleTests {
    @Test(
        "the policy's rules are checked in Onyx's order, and the first broken one is reported",
        arguments: [
            ("aA1!", "Password must be at least 6 characters long."),
            ("aA1!aA1!aA1!a", "Password must not exceed 12 characters."),
            ("aA1!\0aA1!", "Password must not contain a NUL character."),
            ("aaaaaa", "Password must contain at least one uppercase letter."),
            ("AAAAAA", "Password must contain at least one lowercase letter."),
            ("aaaAAA", "Password must contain at least one number."),
            (
                "aaAA11",
                "Password must contain at least one special character from the following set: !@#$%^&*()_+-=[]{}|;:,.<>?."
            ),
        ])
    func policy(password: String, sentence: String) {
        let policy = PasswordPolicy(
            minimumLength: 6, maximumLength: 12, requiresUppercase: true, requiresLowercase: true, requiresDigit: true,
            requiresSpecialCharacter: true)
        #expect(policy.violation(in: Secret(password)) == sentence)
        #expect(policy.violation(in: Secret("aA1!aA1!")) == nil)
    }

    @Test("without rules only the length is checked, in characters and not in bytes")
    func defaultPolicy() {
        #expect(PasswordPolicy().violation(in: Secret("ääääääää")) == nil)
        #expect(PasswordPolicy().violation(in: Secret("äääääää")) != nil)
        #expect(PasswordPolicy().violation(in: Secret(String(repeating: "a", count: 64))) == nil)
        #expect(PasswordPolicy().violation(in: Secret(String(repeating: "a", count: 65))) != nil)
    }

    @Test("an e-mail address is stored trimmed and lower-cased, and is unique")
    func uniqueEmail() async throws {
        try await GatewayFixture.with { fixture in
            let people = fixture.gateway.stores.people
            try await fixture.addPerson(" Ada@Example.org\n")
            let error = await #expect(throws: GatewayError.self) { try await fixture.addPerson("ADA@example.org") }
            #expect(error?.code == .personExists)
            #expect(try await people.list().map(\.email) == ["ada@example.org"])
            #expect(try await people.find("ADA@EXAMPLE.ORG ")?.name == "Ada")
        }
    }

    @Test("two people cannot be added with one address at the same time")
    func concurrentAdd() async throws {
        try await GatewayFixture.with { fixture in
            let added = await withTaskGroup { group in
                for _ in 0..<8 {
                    group.addTask { (try? await fixture.addPerson()) != nil }
                }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(added == 1)
        }
    }

    @Test(
        "an invalid address is refused, also one that looks like another",
        arguments: [
            "", "ada", "@b", "a@", "a b@c", "a@b@c", "a@b\u{0}c", "a@b\nc", "ada\u{200B}@b", "ada\u{AD}@b",
            "ada\u{FE0F}@b", "ada\u{2800}@b", "a\u{115F}da@b", "a\u{1160}da@b", "a\u{3164}da@b", "a\u{FFA0}da@b",
            "ada@b\u{E0041}", "ada@b\u{E000}", "ada\u{16FE4}@b", "ada@\u{FFFC}b",
            "\u{202E}ada@b", "\u{2066}ada\u{2069}@b", "<ada@b>", "ada@b;eve", "ada@b,eve", "Ada (a@b)",
        ])
    func invalidEmail(text: String) {
        #expect(throws: GatewayError.self) { try EmailAddress(text) }
    }

    @Test(
        "addresses of other scripts, with tags, and at an address of a network are accepted",
        arguments: ["ädä@exämple.org", "阿達@例え.jp", "o'ada+tag_1=x@example.org", "ada@[127.0.0.1]", "ada@[ipv6:::1]"])
    func validEmail(text: String) throws {
        #expect(try EmailAddress(text).text == text)
    }

    @Test(
        "disabling or removing a person, or a new password, ends the person's sessions with the reason",
        arguments: [SessionEndReason.personDisabled, .personRemoved, .passwordChanged])
    func endSessions(reason: SessionEndReason) async throws {
        try await GatewayFixture.with { fixture in
            let person = try await fixture.addPerson()
            try await fixture.addPerson("other@example.org")
            let token = try await fixture.token()
            let other = try #require(try await fixture.login("other@example.org").token)
            #expect(try await fixture.me(token).status == 200)
            let people = fixture.gateway.stores.people

            switch reason {
            case .personDisabled: try await people.disable(person.id)
            case .personRemoved: try await people.remove(person.id)
            default: try await people.setPassword(Secret("another horse 8"), of: person.id)
            }

            #expect(try await fixture.me(token).json?["error_code"]?.string == "SESSION_TERMINATED")
            #expect(try await fixture.refresh(token).status == 401)
            #expect(try await fixture.login().status == 400)
            #expect(try await fixture.me(other).status == 200)
            let ended = try await fixture.gateway.stores.sessions.list().filter { $0.ended != nil }
            #expect(ended.map(\.endReason) == [reason])
        }
    }

    @Test("an enabled person can sign in again, and old sessions stay ended")
    func enable() async throws {
        try await GatewayFixture.with { fixture in
            let person = try await fixture.addPerson()
            let token = try await fixture.token()
            try await fixture.gateway.stores.people.disable(person.id)
            #expect(try await fixture.login().status == 400)

            try await fixture.gateway.stores.people.enable(person.id)

            #expect(try await fixture.login().status == 200)
            #expect(try await fixture.me(token).json?["error_code"]?.string == "SESSION_TERMINATED")
        }
    }

    @Test("a change to a removed person fails with an error that says so")
    func removedPerson() async throws {
        try await GatewayFixture.with { fixture in
            let people = fixture.gateway.stores.people
            let error = await #expect(throws: GatewayError.self) { try await people.disable(UUID()) }
            #expect(error?.code == .unknownPerson)
            let missing = await #expect(throws: GatewayError.self) { try await people.require("nobody@example.org") }
            #expect(missing?.message.contains("nobody@example.org") == true)
        }
    }

    @Test("people and sessions survive a restart")
    func restart() async throws {
        try await GatewayFixture.with { fixture in
            try await fixture.addPerson()
            let token = try await fixture.token()
            await fixture.gateway.close()

            let again = try await fixture.otherProcess()
            let gateway = try Gateway(again)

            guard case .valid(let session) = try await gateway.issuer.authenticate(token) else {
                Issue.record("the session is gone")
                return
            }
            #expect(session.person.email == GatewayFixture.email)
            await gateway.close()
        }
    }

    @Test("registration is closed by default")
    func registrationClosed() async throws {
        try await GatewayFixture.with { fixture in
            let response = try await fixture.register(#"{"email":"a@b.c","password":"long enough"}"#)
            #expect(response.status == 403)
            #expect(response.json?["error_code"]?.string == "REGISTRATION_DISABLED")
            #expect(response.json?["detail"]?.string?.isEmpty == false)
        }
    }

    @Test("registration adds a person and issues no token")
    func registration() async throws {
        try await GatewayFixture.with {
            $0.onyx.allowsRegistration = true
        } _: { fixture in
            let response = try await fixture.register(#"{"email":"New@Example.org","password":"long enough"}"#)
            #expect(response.status == 201)
            #expect(response.json?["email"]?.string == "new@example.org")
            #expect(response.json?["is_active"]?.bool == true)
            #expect(response.json?["is_superuser"]?.bool == false)
            #expect(response.token == nil)
            #expect(try await fixture.login("new@example.org", password: "long enough").status == 200)

            let again = try await fixture.register(#"{"email":"new@example.org","password":"long enough"}"#)
            #expect(again.status == 400)
            #expect(again.text == #"{"detail":"REGISTER_USER_ALREADY_EXISTS"}"#)

            let weak = try await fixture.register(#"{"email":"b@example.org","password":"short"}"#)
            #expect(weak.status == 400)
            #expect(weak.json?["detail"]?["code"]?.string == "REGISTER_INVALID_PASSWORD")
            #expect(weak.json?["detail"]?["reason"]?.string == "Password must be at least 8 characters long.")

            for body in ["", "{}", "[]", #"{"email":"b@example.org"}"#, #"{"email":"no","password":"long enough"}"#] {
                #expect(try await fixture.register(body).status == 422)
            }
        }
    }

    @Test("registrations from one address are limited")
    func registrationLimit() async throws {
        try await GatewayFixture.with {
            $0.onyx.allowsRegistration = true
            $0.addressLimit = AttemptLimit(attempts: 2, window: .seconds(60))
        } _: { fixture in
            for name in ["a", "b"] {
                #expect(try await fixture.register(#"{"email":"\#(name)@b.c","password":"long enough"}"#).status == 201)
            }
            let response = try await fixture.register(#"{"email":"c@b.c","password":"long enough"}"#)
            #expect(response.status == 429)
            #expect(response.json?["error_code"]?.string == "RATE_LIMITED")
            #expect(response.headers["Retry-After"] == "30")
        }
    }
}

extension GatewayFixture {
    func register(_ body: String) async throws -> Exchange.Response {
        try await http.send(
            "POST", "/api/auth/register", headers: [("Content-Type", "application/json")], body: body)
    }
}
