import Crypto
import FoundationEssentials
import HTTPMessages
import JOSE
import OAuth
import TestSupport
import Testing

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayHTTP
@testable import LatchGateway

/// What the settings of a client change in its flows: lifetimes, scopes, pushed requests and refresh tokens.
@Suite("Settings of clients in their flows", .timeLimit(.minutes(20)))
struct ClientSettingFlowTests {
    /// A gateway whose public client has settings.
    private static func with(
        _ set: (inout ClientSettings) -> Void, _ body: (OAuthFixture) async throws -> Void
    ) async throws {
        var settings = ClientSettings()
        set(&settings)
        let chosen = settings
        try await OAuthFixture.with({ gateway in
            gateway.authorizationServer.clients[0] = RegisteredClient(
                id: "app", name: "Example App", secretHash: nil,
                redirects: [OAuthFixture.appRedirect, OAuthFixture.loopbackRedirect], allowsDevice: true,
                settings: chosen)
        }) { fixture in
            _ = try await fixture.browser.signIn()
            try await body(fixture)
        }
    }

    private static func expiry(_ response: Exchange.Response) -> Double? { response.json?["expires_in"]?.number }

    @Test("access tokens are as short as the client's setting, in each flow, and never longer than the server's")
    func accessTokens() async throws {
        for (setting, expected) in [(120, 120.0), (3_600, 600)] {
            try await Self.with({ $0.accessTokenLifetime = .seconds(setting) }) { fixture in
                let code = try #require(try await fixture.respond(to: fixture.parameters)["code"])
                let first = try await fixture.exchange(code)
                #expect(Self.expiry(first) == expected)
                let second = try await fixture.refresh(try OAuthTokens(first).refresh)
                #expect(Self.expiry(second) == expected)
                let codes = try await fixture.codes([("client_id", "app")])
                _ = try await fixture.decide(onDevice: codes.userCode)
                #expect(Self.expiry(try await fixture.poll(codes, [("client_id", "app")])) == expected)
                fixture.gateway.clock.advance(expected - 1)
                #expect(try await fixture.userInfo(try OAuthTokens(second).access).status == 200)
                fixture.gateway.clock.advance(2)
                #expect(try await fixture.userInfo(try OAuthTokens(second).access).status == 401)
            }
        }
    }

    @Test("a session ends after the client's idle time, and at its maximum however often it is refreshed")
    func sessions() async throws {
        try await Self.with({
            $0.sessionLifetime = .seconds(1_000)
            $0.sessionMaximum = .seconds(2_500)
        }) { fixture in
            let idle = try await fixture.tokens()
            fixture.gateway.clock.advance(1_001)
            #expect(try await fixture.refresh(idle.refresh).json?["error"] == "invalid_grant")
            fixture.browser.browser.cookies = [:]
            var tokens = try await fixture.tokens()
            for _ in 0..<2 {
                fixture.gateway.clock.advance(900)
                tokens = try OAuthTokens(try await fixture.refresh(tokens.refresh))
            }
            fixture.gateway.clock.advance(601)
            #expect(try await fixture.userInfo(tokens.access).status == 401)
            fixture.gateway.clock.advance(100)
            #expect(try await fixture.refresh(tokens.refresh).json?["error"] == "invalid_grant")
        }
    }

    @Test("RFC 6749 §3.3 scopes that a client may not get are left out, and refused when none is left")
    func scopes() async throws {
        try await Self.with({ $0.scopes = ["openid", "email"] }) { fixture in
            let page = try await fixture.open(fixture.parameters)
            #expect(page.text.contains("see your e-mail address") && !page.text.contains("see your name"))
            let code = try #require(try OAuthFixture.fields(of: try await fixture.decide(page))["code"])
            let response = try await fixture.exchange(code)
            #expect(response.json?["scope"] == "openid email")
            let none = OAuthFixture.replacing(fixture.parameters, [("scope", "profile groups")])
            #expect(try OAuthFixture.fields(of: try await fixture.open(none))["error"] == "invalid_scope")
            #expect(try await fixture.post("par", none).json?["error"] == "invalid_scope")
            let device = try await fixture.begin([("client_id", "app"), ("scope", "profile")])
            #expect(device.json?["error"] == "invalid_scope")
            let codes = try await fixture.codes([("client_id", "app"), ("scope", "profile email")])
            _ = try await fixture.decide(onDevice: codes.userCode)
            #expect(try await fixture.poll(codes, [("client_id", "app")]).json?["scope"] == "email")
        }
    }

    @Test("RFC 9126 §6 a client that must push its requests cannot start a sign-in without")
    func pushed() async throws {
        try await Self.with({ $0.requiresPushedRequests = true }) { fixture in
            let refused = try OAuthFixture.fields(of: try await fixture.open(fixture.parameters))
            #expect(refused["error"] == "invalid_request")
            #expect(refused["error_description"]?.contains("/oauth2/par") == true)
            let posted = try await fixture.browser.post("/oauth2/authorize", fixture.parameters)
            #expect(try OAuthFixture.fields(of: posted)["error"] == "invalid_request")

            let stored = try #require(try await fixture.post("par", fixture.parameters).json?["request_uri"]?.string)
            let page = try await fixture.open([("client_id", "app"), ("request_uri", stored)])
            let code = try #require(try OAuthFixture.fields(of: try await fixture.decide(page))["code"])
            #expect(try await fixture.exchange(code).status == 200)
            #expect(try await fixture.open(fixture.webParameters).status == 200, "another client need not")
        }
    }

    @Test("OpenID Connect Core §11 a client without refresh tokens gets none in any flow, nor offline_access")
    func refreshTokens() async throws {
        try await Self.with({ $0.issuesRefreshTokens = false }) { fixture in
            let asked = OAuthFixture.replacing(fixture.parameters, [("scope", "openid offline_access")])
            let page = try await fixture.open(asked)
            #expect(!page.text.contains("stay signed in"))
            let code = try #require(try OAuthFixture.fields(of: try await fixture.decide(page))["code"])
            let response = try await fixture.exchange(code)
            #expect(response.status == 200 && response.json?["refresh_token"] == nil)
            #expect(response.json?["scope"] == "openid")
            let only = OAuthFixture.replacing(asked, [("scope", "offline_access")])
            #expect(try OAuthFixture.fields(of: try await fixture.open(only))["error"] == "invalid_scope")
            let codes = try await fixture.codes([("client_id", "app")])
            _ = try await fixture.decide(onDevice: codes.userCode)
            let device = try await fixture.poll(codes, [("client_id", "app")])
            #expect(device.status == 200 && device.json?["refresh_token"] == nil)
            #expect(try await fixture.refresh("x").json?["error"] == "unauthorized_client")
            let account = try await fixture.browser.get("/latch/account").text
            #expect(account.contains("know who you are") && !account.contains("stay signed in"))

            let access = try #require(response.json?["access_token"]?.string)
            let person = try await fixture.gateway.gateway.stores.people.find(GatewayFixture.email).orThrow
            func sessions() async throws -> Int {
                try await fixture.gateway.gateway.stores.sessions.ownSessions(of: person.id).count
            }
            #expect(try await fixture.userInfo(access).status == 200)
            #expect(try await sessions() == 3)
            fixture.gateway.clock.advance(601)
            #expect(try await sessions() == 1, "the sessions end with their access tokens")
        }
    }

    @Test("a refresh token from before the setting is refused, and scopes that were taken away are gone")
    func changed() async throws {
        try await OAuthFixture.with { fixture in
            let clients = fixture.gateway.gateway.stores.clients
            let id = try await clients.add(
                name: "Notes", redirects: [OAuthFixture.appRedirect], isConfidential: false
            ).client.id
            _ = try await fixture.browser.signIn()
            let fields = try await fixture.respond(
                to: OAuthFixture.replacing(fixture.parameters, [("client_id", id)]))
            let first = try OAuthTokens(try await fixture.exchange(try #require(fields["code"]), client: id))
            try await clients.set(id) { $0.scopes = ["openid", "profile"] }
            let second = try await fixture.refresh(first.refresh, client: id)
            #expect(second.json?["scope"] == "openid profile")
            let claims = try await fixture.userInfo(try OAuthTokens(second).access).json
            #expect(claims?["name"] != nil && claims?["email"] == nil)
            try await clients.set(id) { $0.issuesRefreshTokens = false }
            let third = try await fixture.refresh(try OAuthTokens(second).refresh, client: id)
            #expect(third.json?["error"] == "unauthorized_client")
        }
    }

    /// A gateway whose confidential client has settings.
    private static func withWeb(
        _ set: (inout ClientSettings) -> Void, _ body: (OAuthFixture) async throws -> Void
    ) async throws {
        var settings = ClientSettings()
        set(&settings)
        let chosen = settings
        try await OAuthFixture.with({ gateway in
            gateway.authorizationServer.clients[1] = RegisteredClient(
                id: "web", name: "Example Web", secretHash: SHA256.digest(OAuthFixture.secret),
                redirects: [OAuthFixture.webRedirect], settings: chosen)
        }) { fixture in
            _ = try await fixture.browser.signIn()
            try await body(fixture)
        }
    }

    private static let webSecret: [(String, String?)] = [("client_id", "web"), ("client_secret", OAuthFixture.secret)]

    @Test("RFC 9700 §2.1.1 a client with a secret need not send a challenge if its setting says so")
    func optionalChallenge() async throws {
        let none: [(String, String?)] = [("code_challenge", nil), ("code_challenge_method", nil)]
        try await Self.withWeb({ $0.requiresChallenge = false }) { fixture in
            func code(_ changes: [(String, String?)]) async throws -> String? {
                try await fixture.respond(to: OAuthFixture.replacing(fixture.webParameters, changes))["code"]
            }
            func status(_ request: [(String, String?)], _ exchange: [(String, String?)]) async throws -> Int {
                let issued = try await code(request).orThrow
                return try await fixture.exchange(
                    issued, redirect: OAuthFixture.webRedirect, Self.webSecret + exchange
                ).status
            }
            let noVerifier: [(String, String?)] = [("code_verifier", nil)]
            var statuses = [try await status(none, noVerifier)]
            // Somebody has removed the challenge from the request.
            statuses.append(try await status(none, []))
            statuses.append(try await status(none, noVerifier + [("redirect_uri", nil)]))
            statuses.append(try await status([], []))
            statuses.append(try await status([], noVerifier))
            #expect(statuses == [200, 400, 400, 200, 400])
            for half in none {
                let issued = try await code([half])
                #expect(issued == nil)
            }
        }
        try await Self.with({ $0.requiresChallenge = false }) { fixture in
            let fields = try await fixture.respond(to: OAuthFixture.replacing(fixture.parameters, none))
            #expect(fields["error"] == "invalid_request")
        }
    }

    @Test("OpenID Connect Core §5.4 ID tokens have the claims of the scopes if the setting says so, also at a refresh")
    func tokenClaims() async throws {
        for isOn in [false, true] {
            try await Self.withWeb({ $0.hasIDTokenClaims = isOn }) { fixture in
                let scope = [("scope", "openid email groups" as String?)]
                let parameters = OAuthFixture.replacing(fixture.webParameters, scope)
                let code = try #require(try await fixture.respond(to: parameters)["code"])
                let tokens = try OAuthTokens(
                    try await fixture.exchange(code, redirect: OAuthFixture.webRedirect, Self.webSecret))
                let secret = Self.webSecret.compactMap { name, value in value.map { (name, $0) } }
                let second = try await fixture.post(
                    "token", [("grant_type", "refresh_token"), ("refresh_token", tokens.refresh)] + secret)
                let info = try await fixture.userInfo(try OAuthTokens(second).access).json
                for token in [tokens.id, try OAuthTokens(second).id] {
                    let signature = try JSONWebSignature(parsing: try #require(token))
                    let claims = try JSONValue(parsing: signature.payload)
                    #expect(claims["sub"] == info?["sub"] && claims["auth_time"] != nil && claims["name"] == nil)
                    for name in ["email", "email_verified", "groups"] {
                        #expect(info?[name] != nil && claims[name] == (isOn ? info?[name] : nil), "\(name)")
                    }
                    #expect((claims["nonce"] == nil) == (token != tokens.id))
                }
            }
        }
    }
}
