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

/// How a person authenticated, and what clients and protected servers require of it.
@Suite("Step-up authentication and scopes", .timeLimit(.minutes(20)))
struct ClientStepUpTests {
    private static let paths = "https://app.example.org"

    /// A gateway whose protected server has paths with requirements.
    private static func with(_ body: (OAuthFixture) async throws -> Void) async throws {
        func rule(_ path: String, _ requirement: AccessRequirement) -> AccessRule? {
            AccessRule(
                named: String(path.dropFirst()), hosts: ["app.example.org"], paths: [path + "/*"], admission: .signedIn,
                requirement: requirement)
        }
        let rules = [
            rule("/fresh", AccessRequirement(maximumAge: .seconds(300))),
            rule("/strong", AccessRequirement(level: .multiFactor)),
            rule("/notes", AccessRequirement(scopes: ["notes.read", "email"])),
            AccessRule(named: "rest", hosts: ["app.example.org"], admission: .signedIn),
        ].compactMap { $0 }
        try await OAuthFixture.with(
            {
                $0.verify.rules.rules = rules
                $0.authorizationServer.servesDialectsToDevices = true
            }, body)
    }

    private static func ask(
        _ fixture: OAuthFixture, _ path: String, _ headers: [(String, String)], query: String = ""
    ) async throws -> Exchange.Response {
        try await fixture.gateway.http.send(
            "GET", "/auth/verify" + query,
            headers: headers + [
                ("X-Forwarded-Host", "app.example.org"), ("X-Forwarded-Proto", "https"), ("X-Forwarded-Method", "GET"),
                ("X-Forwarded-Uri", path),
            ])
    }

    private static func claims(_ tokens: OAuthTokens) throws -> JSONValue {
        try JSONValue(parsing: JSONWebSignature(parsing: try tokens.id.orThrow).payload)
    }

    /// Makes the browser's session one of a provider that reported how the person authenticated.
    private static func record(_ methods: [String], _ fixture: OAuthFixture) async throws {
        let person = try await fixture.gateway.gateway.stores.people.find(GatewayFixture.email).orThrow
        for session in try await fixture.gateway.gateway.stores.sessions.ownSessions(of: person.id) {
            try await fixture.gateway.gateway.stores.sessions.record(
                provider: "google", nil, AuthenticationMethods(reported: methods), of: session.id)
        }
        fixture.gateway.gateway.issuer.invalidateAll()
    }

    @Test("OpenID Connect Core §2 RFC 8176 tokens and introspection say when and how the person authenticated")
    func claims() async throws {
        try await OAuthFixture.with { fixture in
            let password = try Self.claims(try await fixture.tokens())
            #expect(password["acr"] == "single-factor" && password["amr"] == ["pwd"])
            try await Self.record(["pwd", "made up", "mfa", "otp", "mfa"], fixture)
            let code = try #require(try await fixture.respond(to: fixture.webParameters)["code"])
            let secret = [("client_id", "web"), ("client_secret", OAuthFixture.secret)]
            let tokens = try OAuthTokens(
                try await fixture.exchange(code, redirect: OAuthFixture.webRedirect, secret.map { ($0.0, $0.1) }))
            let strong = try Self.claims(tokens)
            #expect(strong["acr"] == "multi-factor" && strong["amr"] == ["pwd", "mfa", "otp"])
            let active = try await fixture.post("introspect", secret + [("token", tokens.access)])
            for name in ["acr", "amr", "auth_time"] { #expect(active.json?[name] == strong[name], "\(name)") }
            try await Self.record([], fixture)
            let unknown = try Self.claims(try await fixture.tokens())
            #expect(unknown["acr"] == "single-factor" && unknown["amr"] == nil)
        }
    }

    @Test("OpenID Connect Core §3.1.2.1 acr_values lead to one more sign-in, and are voluntary")
    func levels() async throws {
        try await OAuthFixture.with { fixture in
            _ = try await fixture.browser.signIn()
            for values in ["single-factor", "multi-factor single-factor", "unknown", ""] {
                #expect(
                    try await fixture.open(fixture.parameters + [("acr_values", values)]).status == 200, "\(values)")
            }
            let parameters = fixture.parameters + [("acr_values", "unknown multi-factor")]
            fixture.gateway.clock.advance(1)
            let again = try await fixture.open(parameters)
            #expect(again.status == 303 && again.next?.contains("again=1") == true)
            _ = try await fixture.respond(to: fixture.parameters)
            let web = OAuthFixture.replacing(fixture.webParameters, [("acr_values", "multi-factor")])
            let silent = try await fixture.open(web + [("prompt", "none")])
            #expect(try OAuthFixture.fields(of: silent)["error"] == "consent_required")
            try await Self.record(["mfa"], fixture)
            #expect(try await fixture.open(parameters).status == 200)
        }
    }

    @Test("OpenID Connect Core §3.1.2.2 an ID token hint of another person, client or server is refused")
    func hints() async throws {
        try await OAuthFixture.with { fixture in
            let own = try #require(try await fixture.tokens().id)
            _ = try await fixture.respond(to: fixture.webParameters)
            func silent(_ hint: String) async throws -> String? {
                let request = fixture.webParameters + [("prompt", "none"), ("id_token_hint", hint)]
                return try OAuthFixture.fields(of: try await fixture.open(request))["error"] ?? "none"
            }
            // The token belongs to another client.
            #expect(try await silent(own) == "login_required")
            let code = try #require(try await fixture.respond(to: fixture.webParameters)["code"])
            let web = try OAuthTokens(
                try await fixture.exchange(
                    code, redirect: OAuthFixture.webRedirect,
                    [("client_id", "web"), ("client_secret", OAuthFixture.secret)]))
            let hint = try #require(web.id)
            #expect(try await silent(hint) == "none")
            #expect(try await silent(hint.dropLast() + (hint.hasSuffix("A") ? "B" : "A")) == "login_required")
            #expect(try await silent("nonsense") == "login_required")
            let signature = try JSONWebSignature(parsing: hint)
            let forged = try SigningKey.generate(.rs256, keyID: signature.header.keyID).sign(payload: signature.payload)
            #expect(try await silent(forged) == "login_required")
            let unsigned = Base64URL.encode(Array(#"{"alg":"none","typ":"JWT"}"#.utf8))
            #expect(try await silent("\(unsigned).\(Base64URL.encode(signature.payload)).") == "login_required")

            fixture.gateway.clock.advance(3_600)
            #expect(try await silent(hint) == "none", "the hint may have expired")
            _ = try await fixture.gateway.addPerson("eve@example.org")
            fixture.browser.browser.cookies = [:]
            _ = try await fixture.browser.signIn("eve@example.org")
            _ = try await fixture.respond(to: fixture.webParameters)
            #expect(try await silent(hint) == "login_required")
            fixture.gateway.clock.advance(1)
            let asked = try await fixture.open(fixture.webParameters + [("id_token_hint", hint)])
            #expect(asked.status == 303 && asked.next?.contains("again=1") == true)
        }
    }

    @Test("RFC 9470 §3 a rule requires a recent or a strong authentication, of tokens, browsers and at nginx")
    func stepUp() async throws {
        try await Self.with { fixture in
            let tokens = try await fixture.tokens(fixture.parameters + [("resource", Self.paths)])
            let bearer = GatewayFixture.bearer(tokens.access)
            #expect(try await Self.ask(fixture, "/fresh/1", bearer).status == 200)
            let weak = try await Self.ask(fixture, "/strong/1", bearer)
            let field = try #require(weak.headers["WWW-Authenticate"])
            #expect(weak.status == 401 && field.contains(#"error="insufficient_user_authentication""#))
            #expect(field.contains(#"acr_values="multi-factor""#) && !field.contains("max_age"))
            let challenge = try #require(AuthenticationChallenge.all(in: [field]).first)
            #expect(challenge.parameters["resource_metadata"]?.hasSuffix("/strong/1") == true)

            let page = [
                ("Accept", "text/html"),
                ("Cookie", fixture.browser.browser.cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")),
            ]
            let browser = try await Self.ask(fixture, "/strong/1", page)
            let asked = try #require(browser.next)
            #expect(browser.status == 302 && asked.hasSuffix("&again=1&acr_values=multi-factor"))
            let nginx = try await Self.ask(fixture, "/strong/1", page, query: "?proxy=nginx")
            #expect(nginx.status == 401 && nginx.next == asked)
            // A password is one factor: a form for it would lead back here without an end.
            let form = try await fixture.gateway.http.send(
                "GET", String(asked.dropFirst("https://app.example.org".count)), headers: page)
            #expect(form.status == 200 && form.text.contains("requires a sign-in with several factors"))
            #expect(!form.text.contains("type=\"password\""))
            let fresh = try await Self.ask(fixture, "/fresh/1", page)
            #expect(fresh.status == 200)

            fixture.gateway.clock.advance(301)
            let old = try await Self.ask(fixture, "/fresh/1", bearer)
            #expect(old.status == 401 && old.headers["WWW-Authenticate"]?.contains(#"max_age="300""#) == true)
            #expect(try await Self.ask(fixture, "/other", bearer).status == 200)
            // A refresh is no authentication.
            let refreshed = try OAuthTokens(try await fixture.refresh(tokens.refresh))
            #expect(try await Self.ask(fixture, "/fresh/1", GatewayFixture.bearer(refreshed.access)).status == 401)
            try await Self.record(["mfa"], fixture)
            #expect(try await Self.ask(fixture, "/strong/1", GatewayFixture.bearer(refreshed.access)).status == 200)
        }
    }

    @Test("RFC 9470 §3 RFC 9449 §7.1 the challenge for a bound token has the scheme DPoP")
    func boundToken() async throws {
        try await Self.with { fixture in
            let maker = try ProofMaker()
            let tokens = try await fixture.boundTokens(maker, fixture.parameters + [("resource", Self.paths)])
            func ask(_ path: String) async throws -> (status: Int, challenge: AuthenticationChallenge?) {
                let proof = try maker.proof(
                    "GET", Self.paths + path, at: fixture.gateway.clock.now, token: tokens.access)
                let response = try await Self.ask(
                    fixture, path, [("Authorization", "DPoP " + tokens.access), ("DPoP", proof)])
                let fields = response.headers.values("WWW-Authenticate")
                return (response.status, AuthenticationChallenge.all(in: fields).first)
            }
            #expect(try await ask("/other").status == 200)
            for (path, status, error) in [
                ("/strong/1", 401, "insufficient_user_authentication"), ("/notes/1", 403, "insufficient_scope"),
            ] {
                let refused = try await ask(path)
                #expect(refused.status == status && refused.challenge?.scheme.lowercased() == "dpop", "\(path)")
                let parameters = refused.challenge?.parameters ?? [:]
                #expect(parameters["error"] == error && parameters["algs"]?.contains("ES256") == true, "\(path)")
                #expect(parameters["resource_metadata"]?.hasSuffix(path) == true, "\(path)")
            }
        }
    }

    @Test("RFC 9470 §3 a session of a dialect that a device begins, and its children, have the browser's methods")
    func devices() async throws {
        try await Self.with { fixture in
            func token() async throws -> String {
                let response = try await fixture.begin([("client_id", "latch"), ("dialect", "onyx"), ("scope", nil)])
                let codes = try DeviceAuthorizationResponse(parsing: Array(response.text.utf8))
                _ = try await fixture.decide(onDevice: codes.userCode)
                return try await fixture.poll(codes, [("client_id", "latch")]).token.orThrow
            }
            _ = try await fixture.browser.signIn()
            let weak = try await token()
            #expect(try await Self.ask(fixture, "/strong/1", GatewayFixture.bearer(weak)).status == 401)
            try await Self.record(["mfa", "otp"], fixture)
            let strong = try await token()
            #expect(try await Self.ask(fixture, "/strong/1", GatewayFixture.bearer(strong)).status == 200)

            let (issuer, stores) = (fixture.gateway.gateway.issuer, fixture.gateway.gateway.stores)
            let parent = try #require(try await issuer.authenticate(strong).session)
            #expect(parent.methods.values == ["mfa", "otp"])
            let child = try await issuer.issue(
                for: parent.person, device: SessionDevice(name: "Frame"), token: .opaque, authenticated: nil,
                asking: parent.id)
            try await stores.sessions.adopt(child.session, by: parent.id, lifetime: nil)
            let adopted = try await issuer.authenticate(child.token.reveal()).session
            #expect(adopted?.methods == parent.methods)
        }
    }

    @Test("RFC 6750 §3.1 a rule requires scopes of clients, which are offered, allowed and checked")
    func scopes() async throws {
        try await Self.with { fixture in
            let metadata = try await fixture.gateway.http.send("GET", "/.well-known/oauth-authorization-server")
            #expect(metadata.json?["scopes_supported"]?.array?.contains("notes.read") == true)
            let resource = try await fixture.gateway.http.send(
                "GET", "/.well-known/oauth-protected-resource/notes",
                headers: [("X-Forwarded-Host", "app.example.org"), ("X-Forwarded-Proto", "https")])
            #expect(resource.json?["scopes_supported"] == ["notes.read", "email"])

            let request = fixture.parameters + [("resource", Self.paths)]
            let plain = try await fixture.tokens(request)
            let refused = try await Self.ask(fixture, "/notes/1", GatewayFixture.bearer(plain.access))
            let field = try #require(refused.headers["WWW-Authenticate"])
            #expect(refused.status == 403 && field.contains(#"error="insufficient_scope", scope="notes.read email""#))
            let wide = OAuthFixture.replacing(request, [("scope", "openid email notes.read notes.write")])
            let page = try await fixture.open(wide)
            #expect(page.text.contains("use the permission notes.read") && !page.text.contains("notes.write"))
            let tokens = try await fixture.tokens(wide)
            #expect(try await Self.ask(fixture, "/notes/1", GatewayFixture.bearer(tokens.access)).status == 200)
            // People themselves need no scopes.
            let cookies = fixture.browser.browser.cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
            #expect(try await Self.ask(fixture, "/notes/1", [("Cookie", cookies)]).status == 200)
        }
    }
}
