import Crypto
import FoundationEssentials
import HTTPMessages
import OAuth
import TestSupport
import Testing

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import LatchGateway

/// The authorization endpoint and the consent page.
@Suite("Authorization endpoint", .timeLimit(.minutes(20)))
struct ClientAuthorizationTests {
    @Test("RFC 6749 §4.1 a person signs in, allows the app, and the app gets a code, its state and the issuer")
    func wholeSignIn() async throws {
        try await OAuthFixture.with { fixture in
            let start = try await fixture.open(fixture.parameters)
            #expect(start.status == 303)
            let signIn = try #require(start.next)
            #expect(signIn.hasPrefix("/latch/sign-in?return=") && signIn.utf8.count < 400)
            let back = try await fixture.browser.submit(
                "/latch/sign-in", on: signIn,
                [("username", GatewayFixture.email), ("password", GatewayFixture.password)])
            let consent = try await fixture.browser.get(try #require(back.next))
            #expect(consent.status == 200)
            for text in [
                "Example App", GatewayFixture.email, "an app on this device", "see your name", "stay signed in",
            ] {
                #expect(consent.text.contains(text), "\(text)")
            }
            #expect(consent.headers["X-Frame-Options"] == "DENY")
            let end = try await fixture.decide(consent)
            #expect(end.status == 200 && end.headers["Referrer-Policy"] == "no-referrer")
            #expect(end.next?.hasPrefix(OAuthFixture.appRedirect + "?code=") == true)
            let fields = try OAuthFixture.fields(of: end)
            #expect(fields["state"] == "the state" && fields["iss"] == OAuthFixture.issuer)
        }
    }

    @Test("a person who is somebody else signs out on the consent page, and decides as themselves")
    func notYou() async throws {
        try await OAuthFixture.with { fixture in
            try await fixture.gateway.addPerson("eve@example.org")
            _ = try await fixture.browser.signIn()
            let consent = try await fixture.open(fixture.parameters)
            #expect(consent.text.contains("Not you? Sign out"))
            let form = try PageBrowser.form("/latch/sign-out", in: consent.text).orThrow
            let signedOut = try await fixture.browser.post("/latch/sign-out", PageBrowser.hiddenFields(of: form))
            let signIn = try #require(signedOut.headers["Location"])
            #expect(signIn.hasPrefix("/latch/sign-in?done=out&return="))
            #expect(try await fixture.browser.get(signIn).text.contains("You are signed out."))
            let back = try await fixture.browser.submit(
                "/latch/sign-in", on: signIn,
                [("username", "eve@example.org"), ("password", GatewayFixture.password)])
            let again = try await fixture.browser.get(try #require(back.next))
            #expect(again.text.contains("<strong>eve@example.org</strong>"))
            let end = try await fixture.decide(again)
            #expect(try OAuthFixture.fields(of: end)["code"] != nil)
        }
    }

    @Test("RFC 6749 §4.1.2.1 nothing is redirected for an unknown client or an address that it has not registered")
    func noRedirect() async throws {
        try await OAuthFixture.with { fixture in
            _ = try await fixture.browser.signIn()
            let redirects: [String?] = [
                nil, "", "https://evil.example.org/callback", "com.example.app:/callback/", "com.example.app:/Callback",
                "com.example.app:/callback?x=1", "com.example.app:/callback#x",
                "http://127.0.0.1.evil.example/callback",
                "http://localhost/callback", OAuthFixture.webRedirect, "javascript:alert(1)", "http://127.0.0.1/other",
            ]
            for redirect in redirects {
                let request = OAuthFixture.replacing(fixture.parameters, [("redirect_uri", redirect)])
                let page = try await fixture.open(request)
                #expect(page.status == 400 && page.next == nil, "\(redirect ?? "none")")
            }
            for client in [nil, "", "APP", "nobody", String(repeating: "a", count: 5_000)] {
                let page = try await fixture.open(
                    OAuthFixture.replacing(fixture.parameters, [("client_id", client)]))
                #expect(page.status == 400 && page.next == nil)
            }
            for name in ["client_id", "redirect_uri"] {
                let value = try #require(fixture.parameters.first { $0.0 == name })
                let page = try await fixture.open(fixture.parameters + [value])
                #expect(page.status == 400 && page.next == nil, "\(name) twice")
            }
        }
    }

    @Test(
        "RFC 6749 §4.1.2.1 other mistakes are returned to the client, with its state and the issuer",
        arguments: [
            ("response_type", nil, "invalid_request"), ("response_type", "token", "unsupported_response_type"),
            ("response_type", "code id_token", "unsupported_response_type"),
            ("code_challenge", nil, "invalid_request"), ("code_challenge", "short", "invalid_request"),
            ("code_challenge_method", nil, "invalid_request"), ("code_challenge_method", "plain", "invalid_request"),
            ("prompt", "maybe", "invalid_request"), ("prompt", "none login", "invalid_request"),
            ("max_age", "-1", "invalid_request"), ("max_age", "soon", "invalid_request"),
            ("response_mode", "fragment", "invalid_request"), ("request", "e30.e30.", "request_not_supported"),
            ("registration", "{}", "registration_not_supported"),
            ("resource", "https://evil.example", "invalid_target"),
            ("resource", "https://app.example.org/#x", "invalid_target"), ("prompt", "none", "consent_required"),
            ("request_uri", "https://evil.example/request", "request_uri_not_supported"),
            ("resource", "http://127.0.0.1/latch", "invalid_target"),
        ] as [(String, String?, String)])
    func mistakes(name: String, value: String?, error: String) async throws {
        try await OAuthFixture.with { fixture in
            _ = try await fixture.browser.signIn()
            let response = try await fixture.open(OAuthFixture.replacing(fixture.parameters, [(name, value)]))
            let fields = try OAuthFixture.fields(of: response)
            #expect(fields["error"] == error && fields["state"] == "the state")
            #expect(fields["iss"] == OAuthFixture.issuer && fields["code"] == nil)
            guard let first = fixture.parameters.first(where: { $0.0 == name }) else { return }
            let doubled = try await fixture.open(fixture.parameters + [first])
            #expect(try OAuthFixture.fields(of: doubled)["error"] == "invalid_request")
        }
    }

    @Test("RFC 6749 §4.1.2 a long state comes back whole, and a long address is not in a header field")
    func longState() async throws {
        try await OAuthFixture.with { fixture in
            _ = try await fixture.browser.signIn()
            for (count, isField) in [(1_025, true), (4_000, false)] {
                let state = String(repeating: "s", count: count)
                for scope in ["openid", "openid", "unknown"] {
                    var answer = try await fixture.open(
                        OAuthFixture.replacing(fixture.webParameters, [("scope", scope), ("state", state)]))
                    let isAsked = answer.next == nil
                    if isAsked { answer = try await fixture.decide(answer) }
                    let fields = try OAuthFixture.fields(of: answer)
                    #expect(fields["state"] == state && (fields["error"] == nil) == (scope == "openid"))
                    #expect(isAsked || (answer.headers["Location"] != nil) == isField)
                }
            }
        }
    }

    @Test("OpenID Connect Core §3.1.2.1 login_hint fills the form for the password")
    func loginHint() async throws {
        try await OAuthFixture.with { fixture in
            for (hint, shown) in [("ada@example.org", "ada@example.org"), ("\"><b>", "&quot;&gt;&lt;b&gt;")] {
                let hinted = try await fixture.open(fixture.parameters + [("login_hint", hint)])
                let page = try await fixture.browser.get(try #require(hinted.next))
                #expect(page.text.contains("value=\"\(shown)\""))
            }
            let long = try await fixture.open(fixture.parameters + [("login_hint", String(repeating: "a", count: 321))])
            #expect(long.next?.contains("login_hint") == false)
        }
    }

    @Test("OpenID Connect Core §3.1.2.1 prompt and max_age ask for a sign-in, or refuse without one")
    func prompts() async throws {
        try await OAuthFixture.with { fixture in
            let silent = OAuthFixture.replacing(fixture.parameters, [("prompt", "none")])
            #expect(try OAuthFixture.fields(of: try await fixture.open(silent))["error"] == "login_required")
            _ = try await fixture.browser.signIn()
            fixture.gateway.clock.advance(100)
            let again = try await fixture.open(OAuthFixture.replacing(fixture.parameters, [("prompt", "login")]))
            let signIn = try #require(again.next)
            #expect(signIn.contains("again=1"))
            fixture.gateway.clock.advance(1)
            let back = try await fixture.browser.submit(
                "/latch/sign-in", on: signIn, [("password", GatewayFixture.password)])
            let consent = try await fixture.browser.get(try #require(back.next))
            #expect(consent.status == 200)
            #expect(try OAuthFixture.fields(of: try await fixture.decide(consent))["code"] != nil)

            fixture.gateway.clock.advance(100)
            let old = try await fixture.open(OAuthFixture.replacing(fixture.parameters, [("max_age", "50")]))
            #expect(old.next?.contains("again=1") == true)
            let recent = try await fixture.open(OAuthFixture.replacing(fixture.parameters, [("max_age", "200")]))
            #expect(recent.status == 200)
        }
    }

    @Test("OpenID Connect Core §3.1.2.1 a decision that is sent without the sign-in that was asked for is not accepted")
    func decisionWithoutSignIn() async throws {
        try await OAuthFixture.with { fixture in
            _ = try await fixture.browser.signIn()
            let page = try await fixture.open(fixture.parameters)
            let form = PageBrowser.hiddenFields(of: try PageBrowser.form("/oauth2/authorize", in: page.text).orThrow)
            fixture.gateway.clock.advance(100)
            for (name, value) in [("prompt", "login"), ("max_age", "50"), ("acr_values", "multi-factor")] {
                let asked = try await fixture.open(OAuthFixture.replacing(fixture.parameters, [(name, value)]))
                let back = try #require(try OAuthFixture.fields(of: asked)["return"])
                let query = try FormURLEncoded.decode(String(try back.split(separator: "?").last.orThrow))
                let handle = try #require(query["request_uri"]).split(separator: ":").last.orThrow
                let response = try await fixture.browser.post(
                    "/oauth2/authorize",
                    OAuthFixture.replacing(form, [("handle", String(handle))]) + [("decision", "allow")])
                #expect(response.status == 303 && response.next?.contains("again=1") == true, "\(name)")
            }
        }
    }

    @Test("RFC 8252 §8.6 who has allowed a client is asked again only where another app could receive the response")
    func remembered() async throws {
        try await OAuthFixture.with { fixture in
            #expect(try await fixture.respond(to: fixture.webParameters)["code"] != nil)
            let web = try await fixture.open(fixture.webParameters)
            #expect(web.status == 302 && web.next?.hasPrefix(OAuthFixture.webRedirect) == true)
            let silent = try await fixture.open(OAuthFixture.replacing(fixture.webParameters, [("prompt", "none")]))
            #expect(try OAuthFixture.fields(of: silent)["code"] != nil)
            let more = OAuthFixture.replacing(fixture.webParameters, [("scope", "openid groups")])
            #expect(try await fixture.open(more).status == 200)
            let asked = OAuthFixture.replacing(fixture.webParameters, [("prompt", "consent")])
            #expect(try await fixture.open(asked).status == 200)

            #expect(try await fixture.respond(to: fixture.parameters)["code"] != nil)
            #expect(try await fixture.open(fixture.parameters).status == 200)
        }
    }

    @Test("RFC 8252 §7.3 a loopback redirect may have any port")
    func loopback() async throws {
        try await OAuthFixture.with { fixture in
            let request = OAuthFixture.replacing(
                fixture.parameters, [("redirect_uri", "http://127.0.0.1:51234/callback")])
            _ = try await fixture.browser.signIn()
            let end = try await fixture.decide(try await fixture.open(request))
            #expect(end.next?.hasPrefix("http://127.0.0.1:51234/callback?code=") == true)
        }
    }

    @Test("RFC 6749 §10.12 a consent form of another site, session or request is refused, and a denial is returned")
    func forgedConsent() async throws {
        try await OAuthFixture.with { fixture in
            _ = try await fixture.browser.signIn()
            let page = try await fixture.open(fixture.parameters)
            let form = try PageBrowser.form("/oauth2/authorize", in: page.text).orThrow
            let fields = PageBrowser.hiddenFields(of: form) + [("decision", "allow")]
            for site in [[("Sec-Fetch-Site", "cross-site")], [("Origin", "https://evil.example")], []] {
                let forged = try await fixture.browser.post("/oauth2/authorize", fields, site: site)
                #expect(forged.status == 403 && forged.next == nil)
            }
            for name in ["form_token", "handle"] {
                let changed = fields.map { $0.0 == name ? ($0.0, String($0.1.reversed())) : $0 }
                let forged = try await fixture.browser.post("/oauth2/authorize", changed)
                #expect(forged.status >= 400 && forged.next == nil, "\(name)")
            }
            let denied = try await fixture.browser.post(
                "/oauth2/authorize", OAuthFixture.replacing(fields, [("decision", "deny")]))
            #expect(try OAuthFixture.fields(of: denied)["error"] == "access_denied")
            #expect(denied.text.contains("You are not signed in") && !denied.text.contains("complete"))
            let again = try await fixture.browser.post("/oauth2/authorize", fields)
            #expect(again.status == 400 && again.next == nil, "good for one decision")

            // The form of the former session.
            fixture.browser.browser.cookies = [:]
            _ = try await fixture.browser.signIn()
            let late = try await fixture.browser.post("/oauth2/authorize", fields)
            #expect(late.status == 403 && late.next == nil)
        }
    }

    @Test("RFC 9126 prompt=login asks for a sign-in after the browser opens a pushed request")
    func pushedPrompt() async throws {
        try await OAuthFixture.with { fixture in
            let pushed = try await fixture.post("par", fixture.parameters + [("prompt", "login")])
            let address = try #require(pushed.json?["request_uri"]?.string)
            fixture.gateway.clock.advance(1)
            _ = try await fixture.browser.signIn()
            fixture.gateway.clock.advance(1)
            let start = try await fixture.open([("client_id", "app"), ("request_uri", address)])
            #expect(start.next?.contains("again=1") == true)
        }
    }

    @Test("OpenID Connect Core §3.1.2.1 a posted request continues with GET, because browsers send no cookie with it")
    func posted() async throws {
        try await OAuthFixture.with { fixture in
            let start = try await fixture.browser.post(
                "/oauth2/authorize", fixture.parameters, site: [("Sec-Fetch-Site", "cross-site")])
            #expect(start.status == 200)
            let next = try #require(start.next)
            #expect(next.hasPrefix("/oauth2/authorize?client_id=app&request_uri="))
            _ = try await fixture.browser.signIn()
            #expect(try await fixture.browser.get(next).status == 200)
        }
    }

    @Test("a request with a thousand parameters or with long unknown ones is answered at once", .timeLimit(.minutes(1)))
    func many() async throws {
        try await OAuthFixture.with { fixture in
            let many = (0..<980).map { ("p\($0)", "1") }
            #expect(try await fixture.post("token", many).status == 401)
            let long = try await fixture.post(
                "par", fixture.parameters + [("x", String(repeating: "!", count: 4_500))])
            #expect(long.status == 201, "parameters that nobody reads are not stored")
            let scopes = OAuthFixture.replacing(fixture.parameters, [("scope", String(repeating: "s", count: 8_192))])
            #expect(try await fixture.post("par", scopes).json?["error"] == "invalid_request")
        }
    }

    @Test("OAuth Form Post Response Mode: the browser posts the response to the client")
    func formPost() async throws {
        try await OAuthFixture.with { fixture in
            _ = try await fixture.browser.signIn()
            let request = OAuthFixture.replacing(fixture.webParameters, [("response_mode", "form_post")])
            let page = try await fixture.decide(try await fixture.open(request))
            #expect(page.status == 200)
            let form = try #require(PageBrowser.form(OAuthFixture.webRedirect, in: page.text))
            let fields = FormFields(PageBrowser.hiddenFields(of: form).map { (name: $0.0, value: $0.1) })
            #expect(fields["code"]?.isEmpty == false && fields["state"] == "the state")
            let policy = try #require(page.headers["Content-Security-Policy"])
            #expect(!policy.contains("form-action"), "the client may redirect to any server")
        }
    }

    @Test("RFC 9126 a pushed request is good for one sign-in of the client that pushed it")
    func pushed() async throws {
        try await OAuthFixture.with { fixture in
            let basic =
                "Basic "
                + Data("web:\(FormURLEncoded.encode([("", OAuthFixture.secret)]).dropFirst())".utf8)
                .base64EncodedString()
            let pushed = try await fixture.post("par", fixture.webParameters, headers: [("Authorization", basic)])
            #expect(pushed.status == 201 && pushed.headers["Cache-Control"] == "no-store")
            let address = try #require(pushed.json?["request_uri"]?.string)
            let request = [("client_id", "web"), ("request_uri", address)]
            let code = try await fixture.respond(to: request)["code"]
            #expect(code != nil)
            #expect(try await fixture.open(request).status == 400, "used before")

            let other = try await fixture.post("par", fixture.webParameters, headers: [("Authorization", basic)])
            let stolen = [("client_id", "app"), ("request_uri", try #require(other.json?["request_uri"]?.string))]
            #expect(try await fixture.open(stolen).status == 400)

            #expect(try await fixture.post("par", fixture.webParameters).status == 401, "without the secret")
            let wrong = OAuthFixture.replacing(fixture.parameters, [("redirect_uri", "https://evil.example/")])
            #expect(try await fixture.post("par", wrong).json?["error"] == "invalid_request")
            let nested = try await fixture.post("par", fixture.parameters + [("request_uri", address)])
            #expect(nested.json?["error"] == "invalid_request")
        }
    }
}
