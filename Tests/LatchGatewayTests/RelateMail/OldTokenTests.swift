import Crypto
import FoundationEssentials
import HTTPMessages
import TestSupport
import Testing

@testable import GatewayCore
@testable import GatewayHTTP
@testable import LatchGateway

/// Tokens of a provider that were good once.
@Suite(.timeLimit(.minutes(20)))
struct OldTokenTests {
    @Test(
        "RM-6 a provider's token from before a sign-out everywhere is refused and creates no key",
        arguments: ["pages", "password", "disable", "unlink", "provider"])
    func signedOutEverywhere(_ form: String) async throws {
        try await RelateMailFixture.with { fixture in
            let (stores, clock) = (fixture.base.gateway.stores, fixture.base.clock)
            let (old, untimed) = (try fixture.bearer(), try fixture.bearer(["iat": nil]))
            #expect(try await fixture.profile(old).status == 200)
            #expect(try await fixture.profile(untimed).status == 200)
            let person = try await stores.people.require(GatewayFixture.email).id
            clock.advance(5)
            switch form {
            case "password": try await stores.people.setPassword(.init(GatewayFixture.password), of: person)
            case "disable":
                try await stores.people.disable(person)
                try await stores.people.enable(person)
            case "unlink": try await stores.people.unlink(person, from: "sso")
            case "provider": #expect(try await signOut(fixture, ["sub": "ada-1"]) == 200)
            default: try await stores.sessions.revokeAll(of: person)
            }
            for token in [old, untimed, try fixture.bearer()] {
                #expect(try await fixture.profile(token).status == 401)
                #expect(try await fixture.make(token).status == 401)
            }
            // The clock of the provider may be so much ahead.
            clock.advance(60)
            #expect(try await fixture.profile(try fixture.bearer()).status == 401)
            clock.advance(1)
            #expect(try await fixture.profile(try fixture.bearer()).status == 200)
        }
    }

    @Test("RM-6 a token of a session that ended at the provider is refused, even if it has not expired")
    func signedOutAtProvider() async throws {
        try await RelateMailFixture.with { fixture in
            func token(_ session: String) throws -> String {
                try fixture.bearer(["sid": .string(session), "exp": .number(fixture.issuer.seconds + 86_400)])
            }
            let (ended, other) = (try token("one"), try token("two"))
            #expect(try await fixture.profile(ended).status == 200)
            #expect(try await signOut(fixture, ["sub": nil, "sid": "one"]) == 200)
            for _ in 0..<2 {
                #expect(try await fixture.profile(ended).status == 401)
                #expect(try await fixture.make(ended).status == 401)
                #expect(try await fixture.profile(other).status == 200)
                fixture.base.clock.advance(3 * hour)
                #expect(try await signOut(fixture, ["sub": nil, "sid": "three", "jti": "3"]) == 200)
            }
        }
    }

    private func signOut(_ fixture: RelateMailFixture, _ claims: [String: JSONValue?]) async throws -> Int {
        let event = "http://schemas.openid.net/event/backchannel-logout"
        let own: [String: JSONValue?] = ["aud": "gateway", "events": .object([.init(event, [:])])]
        let token = try fixture.issuer.token(own.merging(claims) { _, told in told }, type: "logout+jwt")
        return try await fixture.base.http.send(
            "POST", "/api/auth/oauth/backchannel-logout", headers: [("Content-Type", FormURLEncoded.mediaType)],
            body: FormURLEncoded.encode([("logout_token", token)])
        ).status
    }

    @Test("RM-6 a new token of an old sign-in, or of one with an unreadable time, creates no key")
    func staleSignIn() async throws {
        try await RelateMailFixture.with { fixture in
            let now = fixture.issuer.seconds
            let old: [[String: JSONValue?]] = [
                ["auth_time": .number(now - 601)], ["auth_time": 0], ["auth_time": "soon"],
                ["auth_time": .number(1e13)], ["auth_time": -1], ["auth_time": []],
                ["auth_time": .number(now), "iat": .number(now - 601)], ["auth_time": .number(now), "iat": nil],
            ]
            for claims in old {
                let token = try fixture.bearer(claims)
                #expect(try await fixture.profile(token).status == 200)
                #expect(try await fixture.make(token).status == 403, "\(claims)")
            }
            for claims in [["auth_time": .number(now - 590)], ["auth_time": nil], [:]] as [[String: JSONValue?]] {
                #expect(try await fixture.make(try fixture.bearer(claims)).json?["apiKey"] != nil, "\(claims)")
            }
        }
    }

    @Test("RM-6 a token of a new person with an invalid address is refused with 403")
    func invalidEmail() async throws {
        try await RelateMailFixture.with { fixture in
            for email in ["ada", "ada@", "@example.org", "a@b@example.org"] {
                let token = try fixture.bearer(["sub": "new-1", "email": .string(email)])
                #expect(try await fixture.profile(token).status == 403, "\(email)")
            }
        }
    }
}
