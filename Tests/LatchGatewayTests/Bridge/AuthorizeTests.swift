import Crypto
import FoundationEssentials
import HTTPMessages
import OAuth
import TestSupport
import Testing

@testable import GatewayConfiguration
@testable import LatchGateway

@Suite(.timeLimit(.minutes(20)))
struct AuthorizeTests {
    @Test(
        "OX-2 authorize redirects to the provider with its own redirect, PKCE, nonce and a sealed state",
        arguments: [
            "/api/auth/oauth/authorize", "/api/auth/mobile/oauth/authorize", "/api/auth/oauth/google/authorize",
        ])
    func redirected(_ path: String) async throws {
        try await BridgeFixture.with { fixture in
            let app = AppSignIn()
            let browser = fixture.browser()

            let response = try await browser.send("GET", "\(path)?\(app.query())")

            #expect(response.status == 302)
            #expect(response.headers["Cache-Control"] == "no-store")
            let request = try fixture.google.request(response.headers["Location"]).orThrow
            #expect(request["redirect_uri"] == "http://127.0.0.1/api/auth/oauth/callback")
            #expect(request["response_type"] == "code")
            #expect(request["code_challenge_method"] == "S256")
            #expect(request["code_challenge"]?.utf8.count == 43)
            #expect(request["code_challenge"] != app.verifier.challenge.text)
            #expect(request["nonce"]?.utf8.count == 43)
            #expect(request["prompt"] == "consent")
            let state = try #require(request["state"])
            #expect(!state.contains(app.state.text))
            #expect(Base64URL.decode(state) != nil)

            let cookies = response.headers.values("Set-Cookie")
            #expect(cookies.count == 1)
            let cookie = try #require(cookies.first)
            #expect(cookie.hasPrefix("latchd-signin-"))
            #expect(cookie.hasSuffix("; Path=/; Max-Age=3600; HttpOnly; SameSite=Lax"))
            let secret = try #require(browser.cookies.values.first)
            #expect(![request["nonce"], request["state"], request["code_challenge"]].contains(secret))
        }
    }

    @Test("OX-2 with redirect=false the response contains the address, with the same cookie")
    func withoutRedirect() async throws {
        try await BridgeFixture.with { fixture in
            let browser = fixture.browser()
            let query = AppSignIn().query().replacing("redirect=true", with: "redirect=false")

            let response = try await browser.send("GET", "\(BridgeFixture.authorize)?\(query)")

            #expect(response.status == 200)
            let address = try #require(response.json?["authorization_url"]?.string)
            #expect(try fixture.google.request(address)?["state"] != nil)
            #expect(browser.cookies.count == 1)
        }
    }

    @Test("OX-2 a sign-in requires a listed redirect, and the challenge is checked first")
    func refused() async throws {
        try await BridgeFixture.with { fixture in
            let app = AppSignIn()
            let challenge = "app_code_challenge=\(app.verifier.challenge.text)"
            let bad = "mobile_redirect_uri=evil%3A%2F%2Fauth%2Fcallback"
            let good = "mobile_redirect_uri=onyx%3A%2F%2Fauth%2Fcallback"
            for (query, detail) in [
                (bad, "Mobile SSO requires a PKCE code challenge"), (good, "Mobile SSO requires a PKCE code challenge"),
                ("\(good)&app_code_challenge=", "Mobile SSO requires a PKCE code challenge"),
                ("app_state=x", "Mobile SSO requires a PKCE code challenge"),
                (
                    "\(good)&app_code_challenge=short",
                    "The PKCE code challenge must be 43 characters of base64url, made with S256"
                ),
                ("\(bad)&\(challenge)", "Disallowed mobile redirect URI"),
                (challenge, "Disallowed mobile redirect URI"),
                ("mobile_redirect_uri=&\(challenge)", "Disallowed mobile redirect URI"),
                ("\(good)&\(bad)&\(challenge)", "The parameter 'mobile_redirect_uri' occurs more than once."),
                ("\(good)&\(challenge)&\(challenge)", "The parameter 'app_code_challenge' occurs more than once."),
                (
                    "\(good)&\(challenge)&app_state=\(String(repeating: "x", count: 513))",
                    "The app's state must have at most 512 bytes"
                ),
            ] {
                let response = try await fixture.base.http.send(
                    "GET", "\(BridgeFixture.authorize)?redirect=true&\(query)")
                #expect(response.status == 400)
                #expect(response.json?["error_code"]?.string == "VALIDATION_ERROR")
                #expect(response.json?["detail"]?.string == detail)
                #expect(response.headers["Set-Cookie"] == nil)
            }
        }
    }

    @Test("OX-2 a browser gets an error page that contains nothing from the request")
    func page() async throws {
        try await BridgeFixture.with { fixture in
            let query = AppSignIn().query(redirect: "javascript:alert(1)//onyx")

            let response = try await fixture.browser().send("GET", "\(BridgeFixture.authorize)?\(query)")

            #expect(response.status == 400)
            #expect(response.headers["Content-Type"] == "text/html; charset=utf-8")
            #expect(response.headers["Location"] == nil)
            #expect(!response.text.contains("alert(1)"))
            #expect(response.text.contains("You are not signed in"))
        }
    }

    @Test("an invalid boolean gets 422")
    func notBoolean() async throws {
        try await BridgeFixture.with { fixture in
            let response = try await fixture.base.http.send("GET", "/api/auth/oauth/authorize?redirect=maybe")
            #expect(response.status == 422)
            #expect(response.json?["status_code"]?.number == 422)
        }
    }

    @Test("with several providers each has its own callback, and the request must name one")
    func severalProviders() async throws {
        try await BridgeFixture.with(["one", "two"]) { fixture in
            let app = AppSignIn()
            for id in ["one", "two"] {
                for path in ["\(BridgeFixture.authorize)?provider=\(id)&", "/api/auth/oauth/\(id)/authorize?"] {
                    let response = try await fixture.browser().send("GET", path + app.query())
                    let request = try #require(fixture.providers[id]?.request(response.headers["Location"]))
                    #expect(request["redirect_uri"] == "http://127.0.0.1/api/auth/oauth/\(id)/callback")
                }
            }
            for path in [
                "\(BridgeFixture.authorize)?", "\(BridgeFixture.authorize)?provider=three&",
                "/api/auth/oauth/one/authorize?provider=two&",
            ] {
                #expect(try await fixture.browser().send("GET", path + app.query()).status == 400)
            }
            #expect(try await fixture.browser().send("GET", "/api/auth/oauth/three/authorize").status == 404)
        }
    }

    @Test("the provider google is the default if none is named")
    func google() async throws {
        try await BridgeFixture.with(["other", "google"]) { fixture in
            let request = try await fixture.begin(AppSignIn(), in: fixture.browser())
            #expect(request["redirect_uri"] == "http://127.0.0.1/api/auth/oauth/google/callback")
        }
    }

    @Test("behind https the cookie is bound to the host, and the provider gets the public address")
    func secure() async throws {
        try await BridgeFixture.with(["google"], { $0.publicURL = "https://id.example.org/onyx" }) { fixture in
            let response = try await fixture.browser().send("GET", "\(BridgeFixture.authorize)?\(AppSignIn().query())")
            let cookie = try #require(response.headers["Set-Cookie"])
            #expect(cookie.hasPrefix("__Host-latchd-signin-"))
            #expect(cookie.hasSuffix("; Path=/; Max-Age=3600; HttpOnly; SameSite=Lax; Secure"))
            let request = try fixture.google.request(response.headers["Location"]).orThrow
            #expect(request["redirect_uri"] == "https://id.example.org/onyx/api/auth/oauth/callback")
        }
    }

    @Test("without a public address a request's Host is accepted only if it is loopback")
    func host() async throws {
        try await BridgeFixture.with { fixture in
            let query = "\(BridgeFixture.authorize)?\(AppSignIn().query())"
            for host in ["evil.example", "127.0.0.1.evil.example", "127.0.0.1:8080.evil.example", "localhost.evil:80"] {
                let response = try await fixture.base.http.send("GET", query, host: host)
                #expect(response.status == 421, "\(host)")
                #expect(response.headers["Location"] == nil)
            }
            let response = try await fixture.base.http.send("GET", query, host: "localhost:8123")
            let request = try fixture.google.request(response.headers["Location"]).orThrow
            #expect(request["redirect_uri"] == "http://localhost:8123/api/auth/oauth/callback")
        }
    }

    @Test("a browser has at most eight pending sign-ins; the oldest is dropped")
    func manyCookies() async throws {
        try await BridgeFixture.with { fixture in
            let browser = fixture.browser()
            var ids: [Set<String>] = []
            for _ in 0..<12 {
                _ = try await fixture.begin(AppSignIn(), in: browser)
                ids.append(Set(browser.cookies.keys))
                fixture.base.clock.advance(2)
            }
            #expect(ids.map(\.count) == [1, 2, 3, 4, 5, 6, 7, 8, 8, 8, 8, 8])
            #expect(ids[11].isDisjoint(with: ids[3]), "An old one stayed, and a newer one went.")
        }
    }

    @Test("an unreachable provider is reported to an app by its deep link, and to a program by 503")
    func unreachableProvider() async throws {
        try await BridgeFixture.with { fixture in
            try await fixture.google.stop()
            let app = AppSignIn()

            let response = try await fixture.browser().send("GET", "\(BridgeFixture.authorize)?\(app.query())")
            let fields = try BridgeFixture.fields(of: response)
            #expect(fields["error"] == "temporarily_unavailable")
            #expect(fields["state"] == app.state.text)
            #expect(fields["error_description"]?.isEmpty == false)
            #expect(fields["code"] == nil)

            let query = app.query().replacing("redirect=true", with: "redirect=false")
            let program = try await fixture.base.http.send("GET", "\(BridgeFixture.authorize)?\(query)")
            #expect(program.status == 503)
            #expect(program.headers["Retry-After"] != nil)
        }
    }

    @Test("OX-8 /auth/type lists the providers with their buttons, and whether passwords are accepted")
    func authType() async throws {
        try await BridgeFixture.with(["google"], { $0.passwordsEnabled = false }) { fixture in
            let type = try await fixture.base.http.send("GET", "/api/auth/type")
            #expect(type.json?["oauth_enabled"]?.bool == true)
            #expect(type.json?["password_auth_enabled"]?.bool == false)
            let provider = try #require(type.json?["sso_providers"]?.array?.first)
            #expect(provider["name"]?.string == "google")
            #expect(provider["display_name"]?.string == "Sign in with google")
            #expect(provider["provider_type"]?.string == "oidc")
            #expect(provider["authorize_url"]?.string == "/api/auth/oauth/google/authorize")

            let login = try await fixture.base.login()
            #expect(login.status == 403)
            #expect(login.json?["detail"]?.string == "PASSWORD_LOGIN_DISABLED")
        }
        try await GatewayFixture.with { fixture in
            let type = try await fixture.http.send("GET", "/api/auth/type")
            #expect(type.json?["oauth_enabled"]?.bool == false)
            #expect(type.json?["sso_providers"]?.array?.isEmpty == true)
            #expect(try await fixture.http.send("GET", "/api/auth/oauth/authorize").status == 404)
        }
    }
}
