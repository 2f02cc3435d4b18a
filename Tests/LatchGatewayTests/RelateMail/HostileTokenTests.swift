import Crypto
import FoundationEssentials
import HTTPMessages
import JOSE
import OpenIDConnect
import TestSupport
import Testing

@testable import GatewayCore
@testable import GatewayDialects
@testable import GatewayHTTP
@testable import LatchGateway

/// Tokens of an identity provider, right and wrong ones: a wrong one opens nothing, makes nobody and asks nothing twice.
@Suite(.timeLimit(.minutes(20))) struct RelateMailTokenTests {
    private struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let make: @Sendable (TokenIssuer) throws -> String

        init(_ name: String, _ make: @escaping @Sendable (TokenIssuer) throws -> String) {
            self.name = name
            self.make = make
        }

        var testDescription: String { name }
    }

    private static let wrong = [
        Row("alg none") { issuer in
            TokenIssuer.assembled(["alg": "none", "typ": "at+jwt"], issuer.claims()) { _ in [] }
        },
        Row("HS256 with the public key's text") { issuer in
            TokenIssuer.assembled(["alg": "HS256", "typ": "at+jwt", "kid": "one"], issuer.claims()) {
                HMACSHA256.code(of: $0, key: Secret(bytes: issuer.key.publicJSON.encoded())).bytes
            }
        },
        Row("RS256 said of a P-256 key") { issuer in
            try TokenIssuer.assembled(["alg": "RS256", "typ": "at+jwt", "kid": "one"], issuer.claims()) {
                try issuer.key.signature(of: $0)
            }
        },
        Row("a key that nobody published, under a published name") { issuer in
            try issuer.token(key: SigningKey.generate(.es256, keyID: "one"))
        },
        Row("a key that nobody published") { try $0.token(key: SigningKey.generate(.es256, keyID: "two")) },
        Row("another issuer") { try $0.token(["iss": "https://stranger.example"]) },
        Row("the issuer with a slash") { try $0.token(["iss": .string($0.issuer + "/")]) },
        Row("no issuer") { try $0.token(["iss": nil]) },
        Row("another audience") { try $0.token(["aud": "another-server"]) },
        Row("several audiences without ours") { try $0.token(["aud": ["one", "two"]]) },
        Row("no audience") { try $0.token(["aud": nil]) },
        Row("an audience that only begins alike") { try $0.token(["aud": "relate-mail-2"]) },
        Row("expired") { try $0.token(["exp": .number($0.seconds - 61)]) },
        Row("no expiry") { try $0.token(["exp": nil]) },
        Row("issued in the future") { try $0.token(["iat": .number($0.seconds + 120)]) },
        Row("not good yet") { try $0.token(["nbf": .number($0.seconds + 120)]) },
        Row("no subject") { try $0.token(["sub": nil]) },
        Row("a subject that is no text") { try $0.token(["sub": 1]) },
        Row("an ID token, by its nonce") {
            try $0.token(["scope": nil, "client_id": nil, "nonce": "n"], type: "JWT")
        },
        Row("an ID token, by its hash") { try $0.token(["at_hash": "x"], type: "JWT") },
        Row("an ID token, bare") { try $0.token(["scope": nil, "client_id": nil], type: nil) },
        Row("an ID token of Keycloak") { try $0.token(["typ": "ID"], type: "JWT") },
        Row("a refresh token of Keycloak") { try $0.token(["typ": "Refresh"], type: "JWT") },
        Row("a logout token") { try $0.token(["events": [:]], type: "logout+jwt") },
        Row("a logout token without its type") { try $0.token(["events": [:]]) },
        Row("a token bound to a key") { try $0.token(["cnf": ["jkt": "x"]]) },
        Row("a type of another standard") { try $0.token(type: "dpop+jwt") },
        Row("a header that asks for an extension") { issuer in
            try TokenIssuer.assembled(
                ["alg": "ES256", "typ": "at+jwt", "kid": "one", "crit": ["x"]], issuer.claims()
            ) { try issuer.key.signature(of: $0) }
        },
        Row("claims that were changed after signing") { issuer in
            let parts = try issuer.token().split(separator: ".")
            let claims = Base64URL.encode(issuer.claims(["sub": "bob-1"]).encoded())
            return "\(parts[0]).\(claims).\(parts[2])"
        },
        Row("five parts, as if encrypted") { try $0.token() + ".AA.AA" },
        Row("no token at all") { _ in "AAAA.BBBB.CCCC" },
    ]

    @Test("RM-6 a token with one wrong property is refused", arguments: wrong)
    private func hostile(_ row: Row) async throws {
        try await RelateMailFixture.with { fixture in
            let token = try row.make(fixture.issuer)
            for scheme in ["Bearer", "ApiKey"] {
                let response = try await fixture.make("\(scheme) \(token)")
                #expect(response.status == 401 && response.body.isEmpty)
                #expect(response.headers["WWW-Authenticate"] == #"Bearer error="invalid_token""#)
            }
            #expect(try await fixture.base.gateway.stores.people.list().isEmpty)
            #expect(!fixture.base.lines.text.leaks(String(token.suffix(20))))
            #expect(try await fixture.profile(fixture.bearer()).status == 200)
        }
    }

    @Test("RM-6 other kinds of access tokens are accepted: an older type with a scope, Keycloak's, several audiences")
    func validTokens() async throws {
        try await RelateMailFixture.with { fixture in
            let older = [
                try fixture.issuer.token(type: "JWT"), try fixture.issuer.token(["client_id": nil], type: nil),
                try fixture.issuer.token(["scope": nil, "client_id": nil, "typ": "Bearer"], type: "JWT"),
                try fixture.issuer.token(["scope": nil, "client_id": nil, "scp": "mail"], type: "JWT"),
                try fixture.issuer.token(["aud": ["other", .string(TokenIssuer.clientID)]]),
                try fixture.issuer.token(["exp": .number(fixture.issuer.seconds - 30)], type: "application/at+jwt"),
            ]
            for token in older { #expect(try await fixture.profile("bearer \(token)").status == 200) }
            #expect(try await fixture.base.gateway.stores.people.list().count == 1)
        }
    }

    @Test("RM-6 each supported algorithm is accepted", arguments: SignatureAlgorithm.allCases)
    func algorithms(_ algorithm: SignatureAlgorithm) async throws {
        try await RelateMailFixture.with { fixture in
            let key = try SigningKey.generate(algorithm, keyID: "two")
            fixture.issuer.publish([key])
            #expect(try await fixture.profile(fixture.bearer(key: key)).status == 200)
        }
    }

    @Test("RM-6 the configured audience is accepted, and any accepts every token of the issuer")
    func audiences() async throws {
        try await RelateMailFixture.with({ $0.relateMail.audiences = ["mail-api"] }) { fixture in
            do {
                let response = try await fixture.profile(fixture.bearer()).status
                #expect(response == 401)
            }
            do {
                let response = try await fixture.profile(fixture.bearer(["aud": "mail-api"])).status
                #expect(response == 200)
            }
        }
        try await RelateMailFixture.with({ $0.relateMail.audiences = ["any"] }) { fixture in
            for audience: JSONValue? in ["something", nil] {
                do {
                    let response = try await fixture.profile(fixture.bearer(["aud": audience])).status
                    #expect(response == 200)
                }
            }
        }
    }

    @Test("RM-6 if ID tokens are configured, they are accepted and access tokens are not")
    func idTokens() async throws {
        try await RelateMailFixture.with({ $0.relateMail.tokenKind = .id }) { fixture in
            let bare: [String: JSONValue?] = ["scope": nil, "client_id": nil, "nonce": "n", "at_hash": "h"]
            do {
                let response = try await fixture.profile(fixture.bearer(bare, type: "JWT")).status
                #expect(response == 200)
            }
            do {
                let response = try await fixture.profile(fixture.bearer()).status
                #expect(response == 401)
            }
            var others = bare
            others["aud"] = ["another", .string(TokenIssuer.clientID)]
            do {
                let response = try await fixture.profile(fixture.bearer(others, type: "JWT")).status
                #expect(response == 401)
            }
            others["azp"] = .string(TokenIssuer.clientID)
            do {
                let response = try await fixture.profile(fixture.bearer(others, type: "JWT")).status
                #expect(response == 200)
            }
        }
    }

    @Test("RM-6 keys are fetched again for a signature by an unknown key, but not for each such token")
    func refetch() async throws {
        try await RelateMailFixture.with { fixture in
            #expect(try await fixture.profile(fixture.bearer()).status == 200)
            #expect(fixture.issuer.asked("keys") == 1)
            let next = try SigningKey.generate(.es256, keyID: "next")
            fixture.issuer.publish([next])
            #expect(try await fixture.profile(fixture.bearer(key: next)).status == 200)
            #expect(fixture.issuer.asked("keys") == 2)
            for _ in 0..<20 {
                let token = try fixture.issuer.token(key: SigningKey.generate(.es256, keyID: "made up"))
                #expect(try await fixture.profile("Bearer \(token)").status == 401)
            }
            #expect(fixture.issuer.asked("keys") == 2 && fixture.issuer.asked("discovery") == 1)
        }
    }

    @Test("RM-6 while the issuer is down a token gets 503 with Retry-After, and keys still work")
    func unreachableIssuer() async throws {
        try await RelateMailFixture.with { fixture in
            fixture.issuer.setUnavailable()
            let response = try await fixture.profile(fixture.bearer())
            #expect(response.status == 503 && response.headers["Retry-After"] != nil)
            #expect(response.json?["error"]?.string?.contains("identity provider") == true)
        }
        try await RelateMailFixture.with { fixture in
            let key = try await fixture.key()
            fixture.issuer.setUnavailable()
            #expect(try await fixture.profile(key.authorization).status == 200)
            #expect(try await fixture.profile(fixture.bearer()).status == 200)
        }
    }

    @Test("RM-6 UserInfo is requested only if the token has no verified address and the person is unknown")
    func userInfo() async throws {
        try await RelateMailFixture.with { fixture in
            let silent: [String: JSONValue?] = ["email": nil, "email_verified": nil, "name": nil]
            #expect(try await fixture.profile(fixture.bearer(silent)).status == 401)
            fixture.issuer.setUserInfo(["sub": "somebody-else", "email": "ada@example.org", "email_verified": true])
            #expect(try await fixture.profile(fixture.bearer(silent)).status == 401)
            fixture.issuer.setUserInfo([
                "sub": "ada-1", "email": "ada@example.org", "email_verified": true, "name": "Ada L",
            ])
            let response = try await fixture.profile(fixture.bearer(silent))
            #expect(response.status == 200 && response.json?["displayName"] == "Ada L")
            let asked = fixture.issuer.asked("userinfo")
            #expect(try await fixture.profile(fixture.bearer(silent)).status == 200)
            #expect(fixture.issuer.asked("userinfo") == asked)
        }
    }

    @Test("RM-6 an unverified address neither links nor creates a person")
    func unverified() async throws {
        try await RelateMailFixture.with { fixture in
            try await fixture.base.addPerson()
            for claim: JSONValue? in [false, "false", nil] {
                let token = try fixture.issuer.token(["email_verified": claim])
                fixture.issuer.setUserInfo(["sub": "ada-1", "email": "ada@example.org"])
                let response = try await fixture.make("Bearer \(token)")
                #expect(response.status == 403 && response.json?["error"]?.string?.contains("verified") == true)
            }
            #expect(try await fixture.base.gateway.stores.people.list().count == 1)
        }
    }

    @Test("RM-6 the provider's rules apply: registration, invitation, domains, disabled people")
    func rules() async throws {
        try await RelateMailFixture.with(provider: { $0.allowsRegistration = false }) { fixture in
            #expect(try await fixture.profile(fixture.bearer()).status == 403)
            try await fixture.base.addPerson()
            #expect(try await fixture.profile(fixture.bearer()).status == 200)
            try await fixture.base.gateway.stores.people.disable(
                fixture.base.gateway.stores.people.require(GatewayFixture.email).id)
            let response = try await fixture.profile(fixture.bearer())
            #expect(response.status == 403 && response.json?["error"] == "Your account on this server is disabled.")
        }
        try await RelateMailFixture.with(provider: { $0.domains = ["example.com"] }) { fixture in
            #expect(try await fixture.profile(fixture.bearer()).status == 403)
            let inside = try fixture.issuer.token(["email": "ada@example.com"])
            #expect(try await fixture.profile("Bearer \(inside)").status == 200)
        }
    }

    @Test("RM-6 a password and a key from before the address was verified end when its owner signs in")
    func squatter() async throws {
        try await RelateMailFixture.with({ $0.onyx.allowsRegistration = true }) { fixture in
            let body: JSONValue = [
                "email": .string(GatewayFixture.email), "password": .string(GatewayFixture.password),
            ]
            #expect(try await fixture.send("POST", "/api/auth/register", nil, body).status == 201)
            let squatted = try await fixture.make("Bearer \(fixture.base.token())").json?["apiKey"]?.string
            let key = "ApiKey \(try #require(squatted))"
            #expect(try await fixture.profile(key).status == 200)

            #expect(try await fixture.profile(fixture.bearer()).status == 200)

            #expect(try await fixture.profile(key).status == 401)
        }
    }
}
