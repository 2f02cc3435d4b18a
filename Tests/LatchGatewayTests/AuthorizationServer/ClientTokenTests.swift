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

/// The token endpoint, and what its tokens are good for.
@Suite("Token endpoint", .timeLimit(.minutes(20)))
struct ClientTokenTests {
    @Test(
        "OpenID Connect Core §3.1.3 a code is exchanged for tokens, and the ID token names the person and the request")
    func idToken() async throws {
        try await OAuthFixture.with { fixture in
            let tokens = try await fixture.tokens()
            let signature = try JSONWebSignature(parsing: try #require(tokens.id))
            let set = try await fixture.gateway.http.send("GET", "/oauth2/jwks")
            let keys = try #require(set.json?["keys"]?.array)
            let isSigned = try keys.contains { signature.isValid(by: try JSONWebKey(parsing: $0)) }
            #expect(isSigned)
            let claims = try JSONValue(parsing: signature.payload)
            #expect(claims["iss"] == .string(OAuthFixture.issuer) && claims["aud"] == "app")
            #expect(claims["nonce"] == "the nonce" && claims["sid"]?.string != nil)

            let info = try await fixture.userInfo(tokens.access)
            #expect(info.json?["sub"] == claims["sub"])
            #expect(info.json?["name"] == "Ada" && info.json?["groups"] == nil)
            #expect(try await fixture.userInfo("nothing").status == 401)
        }
    }

    @Test("RFC 6749 §3.3 unknown scopes are ignored, but not when they are all, and no scope is an empty text")
    func scopes() async throws {
        try await OAuthFixture.with { fixture in
            func parameters(_ scope: String?) -> [(String, String)] {
                OAuthFixture.replacing(fixture.parameters, [("scope", scope)])
            }
            for unknown in ["read", "read  write"] {
                #expect(try await fixture.respond(to: parameters(unknown))["error"] == "invalid_scope")
                #expect(try await fixture.post("par", parameters(unknown)).json?["error"] == "invalid_scope")
            }
            for (scope, granted) in [(nil, nil), (" ", nil), ("openid read", "openid")] as [(String?, String?)] {
                let code = try #require(try await fixture.respond(to: parameters(scope))["code"])
                let response = try await fixture.exchange(code)
                #expect(response.status == 200 && response.json?["scope"]?.string == granted, "\(scope ?? "none")")
            }
        }
    }

    @Test("RFC 6749 §6 a refresh cannot have more scopes than the person allowed, and with fewer it keeps them all")
    func refreshedScopes() async throws {
        try await OAuthFixture.with { fixture in
            var tokens = try await fixture.tokens()
            func refresh(_ scope: String) async throws -> Exchange.Response {
                try await fixture.post(
                    "token",
                    [
                        ("grant_type", "refresh_token"), ("refresh_token", tokens.refresh), ("client_id", "app"),
                        ("scope", scope),
                    ])
            }
            for wider in ["openid groups", "read", "OPENID"] {
                #expect(try await refresh(wider).json?["error"] == "invalid_scope", "\(wider)")
            }
            for scope in ["openid", "email openid  profile"] {
                let response = try await refresh(scope)
                #expect(response.json?["scope"] == "openid profile email")
                tokens = try OAuthTokens(response)
                #expect(try await fixture.userInfo(tokens.access).json?["email"] != nil)
            }
        }
    }

    @Test("RFC 6749 §4.1.3 a code is refused to others, with a wrong verifier or address, and after its first use")
    func refusedCodes() async throws {
        try await OAuthFixture.with { fixture in
            let changes: [[(String, String?)]] = [
                [("code_verifier", PKCE.Verifier().secret.reveal())], [("redirect_uri", "com.example.app:/other")],
                [("client_id", "web"), ("client_secret", OAuthFixture.secret)], [("code", "nonsense")],
                [("resource", OAuthFixture.resource)],
            ]
            for change in changes {
                let code = try await fixture.respond(to: fixture.parameters)["code"]
                let refused = try await fixture.exchange(try #require(code), change)
                #expect(refused.status == 400, "\(change)")
                let again = try await fixture.exchange(try #require(code))
                // Neither a request with another code nor that of another client uses it up.
                let isUsedUp = change[0].0 != "code" && change[0].0 != "client_id"
                #expect((again.json?["error"] == "invalid_grant") == isUsedUp, "\(change)")
            }
            for (change, error) in [
                ([("code_verifier", nil)], "invalid_request"), ([("grant_type", nil)], "invalid_request"),
                ([("grant_type", "password")], "unsupported_grant_type"), ([("client_id", nil)], "invalid_client"),
                ([("client_secret", "wrong")], "invalid_client"), ([("client_id", "web")], "invalid_client"),
            ] as [([(String, String?)], String)] {
                let code = try #require(try await fixture.respond(to: fixture.parameters)["code"])
                #expect(try await fixture.exchange(code, change).json?["error"] == .string(error), "\(change)")
                #expect(try await fixture.exchange(code).status == 200, "a mistake of the client uses no code up")
            }
        }
    }

    @Test("RFC 6749 §4.1.2 a code that is sent again ends the session that it began")
    func reusedCode() async throws {
        try await OAuthFixture.with { fixture in
            let code = try #require(try await fixture.respond(to: fixture.parameters)["code"])
            let tokens = try OAuthTokens(try await fixture.exchange(code))
            #expect(try await fixture.userInfo(tokens.access).status == 200)
            #expect(try await fixture.exchange(code).json?["error"] == "invalid_grant")
            #expect(try await fixture.userInfo(tokens.access).status == 401)
            #expect(try await fixture.refresh(tokens.refresh).json?["error"] == "invalid_grant")
        }
    }

    @Test("OX-6 a lost response to a refresh is repeated, and an old refresh token ends the session")
    func rotation() async throws {
        try await OAuthFixture.with { fixture in
            let first = try await fixture.tokens()
            let second = try OAuthTokens(try await fixture.refresh(first.refresh))
            #expect(try OAuthTokens(try await fixture.refresh(first.refresh)) == second)
            #expect(try await fixture.userInfo(first.access).status == 200, "requests in progress are not refused")
            #expect(try await fixture.userInfo(second.access).status == 200)
            let third = try OAuthTokens(try await fixture.refresh(second.refresh))
            #expect(try await fixture.refresh(second.refresh, client: "web").status == 401)
            #expect(try await fixture.userInfo(third.access).status == 200)

            #expect(try await fixture.refresh(first.refresh).json?["error"] == "invalid_grant")
            #expect(try await fixture.userInfo(third.access).status == 401)
            #expect(try await fixture.refresh(third.refresh).json?["error"] == "invalid_grant")
        }
    }

    @Test("RFC 8707 a token opens only the servers that it was issued for, and none without them")
    func audience() async throws {
        try await OAuthFixture.with { fixture in
            let plain = try await fixture.tokens()
            #expect(try await fixture.verify(plain.access) == 401)
            #expect(try await fixture.gateway.me(plain.access).status == 403)
            let request = fixture.parameters + [("resource", OAuthFixture.resource + "/files")]
            let tokens = try await fixture.tokens(request)
            #expect(try await fixture.verify(tokens.access, path: "/files/1") == 200)
            for path in ["/", "/filesystem", "/other"] {
                #expect(try await fixture.verify(tokens.access, path: path) == 401, "\(path)")
            }
            #expect(try await fixture.gateway.me(tokens.access).status == 403)
            #expect(try await fixture.verify(tokens.refresh, path: "/files/1") == 401)

            let metadata = try await fixture.gateway.http.send(
                "GET", "/.well-known/oauth-protected-resource/files",
                headers: [("X-Forwarded-Host", "app.example.org"), ("X-Forwarded-Proto", "https")])
            #expect(metadata.json?["resource"] == .string(OAuthFixture.resource + "/files"))
            #expect(metadata.json?["authorization_servers"] == [.string(OAuthFixture.issuer)])
        }
    }

    @Test("RFC 7009 RFC 7662 tokens are revoked and introspected by their own client only")
    func revocation() async throws {
        try await OAuthFixture.with { fixture in
            let code = try #require(try await fixture.respond(to: fixture.webParameters)["code"])
            let secret = [("client_id", "web"), ("client_secret", OAuthFixture.secret)]
            let response = try await fixture.exchange(
                code, redirect: OAuthFixture.webRedirect, secret.map { ($0.0, $0.1) })
            let tokens = try OAuthTokens(response)
            let active = try await fixture.post("introspect", secret + [("token", tokens.access)])
            #expect(active.json?["active"] == true && active.json?["client_id"] == "web")
            #expect(
                try await fixture.post("introspect", [("client_id", "app"), ("token", tokens.access)]).status == 401)
            let other = try await fixture.tokens()
            let foreign = try await fixture.post("introspect", secret + [("token", other.access)])
            #expect(foreign.json == ["active": false])

            #expect(try await fixture.post("revoke", [("client_id", "app"), ("token", tokens.refresh)]).status == 200)
            #expect(try await fixture.userInfo(tokens.access).status == 200, "another client revokes nothing")
            #expect(try await fixture.post("revoke", [("client_id", "web"), ("token", tokens.refresh)]).status == 401)
            #expect(try await fixture.post("revoke", secret + [("token", tokens.refresh)]).status == 200)
            #expect(try await fixture.userInfo(tokens.access).status == 401)
            #expect(try await fixture.post("revoke", secret + [("token", "unknown")]).status == 200)
        }
    }

    @Test(
        "OpenID Connect Core §5.4 a client gets the e-mail address only with its scope, also as a name",
        arguments: [nil, "openid", "openid profile", "openid profile email", "openid email"])
    func addressScope(_ scope: String?) async throws {
        try await OAuthFixture.with { fixture in
            let parameters = OAuthFixture.replacing(fixture.webParameters, [("scope", scope)])
            let code = try #require(try await fixture.respond(to: parameters)["code"])
            let secret = [("client_id", "web"), ("client_secret", OAuthFixture.secret)]
            let response = try await fixture.exchange(
                code, redirect: OAuthFixture.webRedirect, secret.map { ($0.0, $0.1) })
            let access = try #require(response.token)
            let has = scope?.contains("email") == true
            let active = try await fixture.post("introspect", secret + [("token", access)])
            let name = active.json?["username"]
            #expect(active.json?["active"] == true && (name == active.json?["sub"]) == !has)
            for text in [active.text, try await fixture.userInfo(access).text] {
                #expect(text.contains(GatewayFixture.email) == (has && !text.isEmpty))
            }
        }
    }

    @Test("IM-11 signing out everywhere, or a disabled account, ends the sessions of clients at once")
    func signedOutEverywhere() async throws {
        try await OAuthFixture.with { fixture in
            let tokens = try await fixture.tokens()
            let person = try #require(try await fixture.gateway.gateway.stores.people.find(GatewayFixture.email))
            try await fixture.gateway.gateway.stores.sessions.revokeAll(of: person.id)
            #expect(try await fixture.userInfo(tokens.access).status == 401)
            #expect(try await fixture.refresh(tokens.refresh).json?["error"] == "invalid_grant")

            // A code from before is not exchanged either, nor one from a browser that has signed out since.
            fixture.browser.browser.cookies = [:]
            let early = try #require(try await fixture.respond(to: fixture.parameters)["code"])
            _ = try await fixture.browser.submit("/latch/sign-out", on: "/latch/account")
            #expect(try await fixture.exchange(early).json?["error"] == "invalid_grant")
            fixture.browser.browser.cookies = [:]
            let code = try #require(try await fixture.respond(to: fixture.parameters)["code"])
            try await fixture.gateway.gateway.stores.sessions.revokeAll(of: person.id)
            #expect(try await fixture.exchange(code).json?["error"] == "invalid_grant")
        }
    }

    @Test("a browser that a client's session displaces is signed out at once")
    func displaced() async throws {
        try await OAuthFixture.with({ settings in settings.sessions.maximumPerPerson = 1 }) { fixture in
            let code = try #require(try await fixture.respond(to: fixture.parameters)["code"])
            #expect(try await fixture.browser.get("/latch/account").status == 200)
            #expect(try await fixture.exchange(code).status == 200)
            #expect(try await fixture.browser.get("/latch/account").status == 303)
        }
    }

    @Test("RFC 9068 a client's access tokens may be signed, and are refused here as soon as the session ends")
    func signed() async throws {
        try await OAuthFixture.with({ settings in
            settings.authorizationServer.clients.append(
                RegisteredClient(
                    id: "signed", name: "Signed", secretHash: nil, redirects: [OAuthFixture.appRedirect],
                    accessTokens: .signed))
        }) { fixture in
            func tokens(_ more: [(String, String)] = []) async throws -> OAuthTokens {
                let request = OAuthFixture.replacing(fixture.parameters, [("client_id", "signed")]) + more
                let code = try await fixture.respond(to: request)["code"].orThrow
                return try OAuthTokens(try await fixture.exchange(code, client: "signed"))
            }
            let keys = try await fixture.gateway.http.send("GET", "/oauth2/jwks").json?["keys"]?.array ?? []
            func claims(_ token: String) throws -> JSONValue {
                let signature = try JSONWebSignature(parsing: token)
                #expect(signature.header.type == "at+jwt")
                let isSigned = try keys.contains { signature.isValid(by: try JSONWebKey(parsing: $0)) }
                #expect(isSigned)
                return try JSONValue(parsing: signature.payload)
            }
            let plain = try await tokens()
            let plainNames = try claims(plain.access)
            #expect(plainNames["aud"] == .string(OAuthFixture.issuer + "/oauth2/userinfo"))
            let first = try await tokens([("resource", OAuthFixture.resource)])
            let names = try claims(first.access)
            let id = try JSONValue(parsing: JSONWebSignature(parsing: try #require(first.id)).payload)
            #expect(names["aud"] == .string(OAuthFixture.resource) && names["client_id"] == "signed")
            for name in ["iss", "sub", "auth_time", "acr", "amr"] { #expect(names[name] == id[name], "\(name)") }
            #expect(names["scope"] == "openid profile email" && names["jti"] != id["sid"])
            let (issued, expires) = (try #require(names["iat"]?.number), try #require(names["exp"]?.number))
            #expect(expires - issued == 600)
            #expect(try await fixture.verify(first.access) == 200)
            #expect(try await fixture.verify(String(first.access.dropLast(4)) + "AAAA") == 401)
            #expect(try await fixture.verify(plain.access) == 401)

            let second = try OAuthTokens(try await fixture.refresh(first.refresh, client: "signed"))
            #expect(try OAuthTokens(try await fixture.refresh(first.refresh, client: "signed")) == second)
            let refreshed = try claims(second.access)
            #expect(refreshed["auth_time"] == names["auth_time"])
            #expect(try await fixture.verify(second.access) == 200)
            #expect(try await fixture.userInfo(second.access).status == 200)
            let revocation = [("client_id", "signed"), ("token", second.access)]
            #expect(try await fixture.post("revoke", revocation).status == 200)
            #expect(try await fixture.verify(second.access) == 401)
        }
    }

    @Test("RFC 8414 OpenID Connect Discovery: the metadata name this server and its endpoints")
    func metadata() async throws {
        try await OAuthFixture.with { fixture in
            for path in ["oauth-authorization-server", "openid-configuration"] {
                let page = try await fixture.gateway.http.send("GET", "/.well-known/" + path)
                #expect(page.status == 200 && page.json?["issuer"] == .string(OAuthFixture.issuer))
                for name in ["authorization", "token", "userinfo", "revocation", "introspection"] {
                    let address = try #require(page.json?["\(name)_endpoint"]?.string)
                    #expect(address.hasPrefix(OAuthFixture.issuer + "/oauth2/"))
                }
                #expect(page.json?["code_challenge_methods_supported"] == ["S256"])
            }
        }
        try await OAuthFixture.with({ settings in settings.authorizationServer.isEnabled = false }) { fixture in
            let page = try await fixture.gateway.http.send("GET", "/.well-known/openid-configuration")
            let token = try await fixture.post("token", [])
            #expect(page.status == 404 && token.status == 404)
        }
    }

    @Test("no token, code or verifier of a client is in the log, the audit log or the database", .onlySQLite)
    func secrets() async throws {
        try await OAuthFixture.with { fixture in
            let code = try #require(try await fixture.respond(to: fixture.parameters)["code"])
            let first = try OAuthTokens(try await fixture.exchange(code))
            let second = try OAuthTokens(try await fixture.refresh(first.refresh))
            let database = try fixture.gateway.databaseBytes()
            let log = fixture.gateway.lines.text
            for secret in [
                code, first.access, first.refresh, second.access, second.refresh, fixture.verifier.secret.reveal(),
            ] {
                #expect(!database.leaks(secret) && !log.contains(secret))
            }
        }
    }
}
