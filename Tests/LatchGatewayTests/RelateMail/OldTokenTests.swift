import Crypto
import FoundationEssentials
import HTTPMessages
import Testing

@testable import GatewayCore
@testable import GatewayHTTP
@testable import LatchGateway

/// Tokens of a provider that were good once.
@Suite(.timeLimit(.minutes(20)))
struct OldTokenTests {
    @Test(
        "RM-6 a token of the provider from before a sign-out everywhere opens nothing and makes no key",
        arguments: ["pages", "password", "disable", "unlink", "provider"])
    func signedOutEverywhere(_ form: String) async throws {
        try await RelateMailBench.with { bench in
            let (stores, clock) = (bench.bench.gateway.stores, bench.bench.clock)
            let (old, untimed) = (try bench.bearer(), try bench.bearer(["iat": nil]))
            #expect(try await bench.profile(old).status == 200)
            #expect(try await bench.profile(untimed).status == 200)
            let person = try await stores.people.require(Bench.email).id
            clock.advance(5)
            switch form {
            case "password": try await stores.people.setPassword(.init(Bench.password), of: person)
            case "disable":
                try await stores.people.disable(person)
                try await stores.people.enable(person)
            case "unlink": try await stores.people.unlink(person, from: "sso")
            case "provider": #expect(try await signOut(bench, ["sub": "ada-1"]) == 200)
            default: try await stores.sessions.revokeAll(of: person)
            }
            for token in [old, untimed, try bench.bearer()] {
                #expect(try await bench.profile(token).status == 401)
                #expect(try await bench.make(token).status == 401)
            }
            clock.advance(1)
            #expect(try await bench.profile(try bench.bearer()).status == 200)
        }
    }

    @Test("RM-6 a token of a session that ended at the provider opens nothing, however long it lives")
    func signedOutAtProvider() async throws {
        try await RelateMailBench.with { bench in
            func token(_ session: String) throws -> String {
                try bench.bearer(["sid": .string(session), "exp": .number(bench.issuer.seconds + 86_400)])
            }
            let (ended, other) = (try token("one"), try token("two"))
            #expect(try await bench.profile(ended).status == 200)
            #expect(try await signOut(bench, ["sub": nil, "sid": "one"]) == 200)
            for _ in 0..<2 {
                #expect(try await bench.profile(ended).status == 401)
                #expect(try await bench.make(ended).status == 401)
                #expect(try await bench.profile(other).status == 200)
                bench.bench.clock.advance(3 * hour)
                #expect(try await signOut(bench, ["sub": nil, "sid": "three", "jti": "3"]) == 200)
            }
        }
    }

    private func signOut(_ bench: RelateMailBench, _ claims: [String: JSONValue?]) async throws -> Int {
        let event = "http://schemas.openid.net/event/backchannel-logout"
        let own: [String: JSONValue?] = ["aud": "gateway", "events": .object([.init(event, [:])])]
        let token = try bench.issuer.token(own.merging(claims) { _, told in told }, type: "logout+jwt")
        return try await bench.bench.http.send(
            "POST", "/api/auth/oauth/backchannel-logout", headers: [("Content-Type", FormURLEncoded.mediaType)],
            body: FormURLEncoded.encode([("logout_token", token)])
        ).status
    }

    @Test("RM-6 a new token of an old sign-in, or of one at a time that cannot be read, makes no key")
    func oldSignIn() async throws {
        try await RelateMailBench.with { bench in
            let now = bench.issuer.seconds
            let old: [[String: JSONValue?]] = [
                ["auth_time": .number(now - 601)], ["auth_time": 0], ["auth_time": "soon"],
                ["auth_time": .number(1e13)], ["auth_time": -1], ["auth_time": []],
                ["auth_time": .number(now), "iat": .number(now - 601)], ["auth_time": .number(now), "iat": nil],
            ]
            for claims in old {
                let token = try bench.bearer(claims)
                #expect(try await bench.profile(token).status == 200)
                #expect(try await bench.make(token).status == 403, "\(claims)")
            }
            for claims in [["auth_time": .number(now - 590)], ["auth_time": nil], [:]] as [[String: JSONValue?]] {
                #expect(try await bench.make(try bench.bearer(claims)).json?["apiKey"] != nil, "\(claims)")
            }
        }
    }

    @Test("RM-6 a token of somebody new whose address cannot be one is refused with 403")
    func invalidEmail() async throws {
        try await RelateMailBench.with { bench in
            for email in ["ada", "ada@", "@example.org", "a@b@example.org"] {
                let token = try bench.bearer(["sub": "new-1", "email": .string(email)])
                #expect(try await bench.profile(token).status == 403, "\(email)")
            }
        }
    }
}
