import Crypto
import FoundationEssentials
import HTTPMessages
import OAuth
import OpenIDConnect
import TestSupport
import Testing

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayHTTP
@testable import LatchGateway
@testable import SignInBridge

@Suite(.timeLimit(.minutes(20)))
struct AppSignInTests {
    @Test("OX-2 OX-3 OX-4 OX-5 a complete sign-in: browser, provider, deep link, exchange, token")
    func completeSignIn() async throws {
        try await BridgeFixture.with { fixture in
            let person = try await fixture.base.addPerson()
            let app = AppSignIn()
            let browser = fixture.browser()

            let request = try await fixture.begin(app, in: browser)
            let response = try await fixture.returnToGateway(try fixture.google.approve(request), in: browser)

            #expect(response.status == 302)
            #expect(response.headers["Cache-Control"] == "no-store")
            #expect(response.headers["Referrer-Policy"] == "no-referrer")
            #expect(response.text.contains("You can return to the app"))
            #expect(browser.cookies.isEmpty, "A cookie was left in the browser, or a session.")
            let fields = try BridgeFixture.fields(of: response)
            #expect(fields.pairs.map(\.name) == ["code", "state"])
            #expect(fields["state"] == app.state.text)
            #expect(fields["code"]?.utf8.count == 43)
            let link = try #require(response.next)
            #expect(response.text.contains(("\(link)" as HTML).markup))
            #expect(
                try await fixture.base.gateway.stores.sessions.liveCount() == 0, "A session before the exchange.")

            let exchange = try await fixture.exchange(fields["code"], app.verifier)
            #expect(exchange.status == 200)
            #expect(exchange.json?["token_type"]?.string == "bearer")
            #expect(exchange.json?.members?.count == 2)
            #expect(exchange.headers["Set-Cookie"] == nil)
            #expect(exchange.headers["Cache-Control"] == "no-store")
            let token = try #require(exchange.token)
            #expect(token != fields["code"])
            let me = try await fixture.base.me(token)
            #expect(me.json?["id"]?.string == person.id.uuidString.lowercased())
            #expect(try await fixture.base.logout(token).status == 204)
        }
    }

    @Test("RFC 8176 the session of an app has the methods of authentication that the provider reported")
    func methods() async throws {
        try await BridgeFixture.with { fixture in
            try await fixture.base.addPerson()
            for (reported, known) in [(["mfa", "made up", "otp"], ["mfa", "otp"]), ([], [])] {
                let app = AppSignIn()
                let account = SmallProvider.Account(methods: reported)
                let code = try await fixture.deepLink(app, as: account)["code"]
                let token = try #require(try await fixture.exchange(code, app.verifier).token)
                let session = try #require(try await fixture.base.gateway.issuer.authenticate(token).session)
                #expect(session.methods.values == known)
                #expect(session.methods.level == (known.isEmpty ? .singleFactor : .multiFactor))
            }
        }
    }

    @Test("OX-3 a denial at the provider is redirected to the app with its state, without the provider's text")
    func denied() async throws {
        try await BridgeFixture.with { fixture in
            let app = AppSignIn()
            let browser = fixture.browser()
            let request = try await fixture.begin(app, in: browser)

            let response = try await fixture.returnToGateway(try fixture.google.deny(request), in: browser)

            #expect(response.status == 302)
            let fields = try BridgeFixture.fields(of: response)
            #expect(fields.pairs.map(\.name) == ["error", "error_description", "state"])
            #expect(fields["error"] == "access_denied")
            #expect(fields["state"] == app.state.text)
            #expect(!response.text.contains("<b>no"))
            #expect(response.text.contains("You are not signed in"))
            #expect(browser.cookies.isEmpty)
            #expect(fixture.base.lines.audit.contains { $0["reason"]?.string == "denied-at-provider" })
        }
    }

    @Test(
        "OX-3 a provider's error is mapped to a code that the app knows",
        arguments: [
            ("login_required", "login_required"), ("invalid_scope", "server_error"), ("strange_thing", "server_error"),
        ])
    func refusedByProvider(theirs: String, ours: String) async throws {
        try await BridgeFixture.with { fixture in
            let browser = fixture.browser()
            let request = try await fixture.begin(AppSignIn(), in: browser)
            let response = try await fixture.returnToGateway(
                try fixture.google.deny(request, error: theirs), in: browser)
            #expect(try BridgeFixture.fields(of: response)["error"] == ours)
        }
    }

    @Test("a missing consent counts as a refusal, and the app gets the provider's error code")
    func noConsent() async throws {
        try await BridgeFixture.with { fixture in
            let browser = fixture.browser()
            let request = try await fixture.begin(AppSignIn(), in: browser)
            let response = try await fixture.returnToGateway(
                try fixture.google.deny(request, error: "consent_required"), in: browser)
            #expect(try BridgeFixture.fields(of: response)["error"] == "consent_required")
            #expect(response.text.contains("You declined at the identity provider"))
            #expect(fixture.base.lines.audit.contains { $0["reason"]?.string == "denied-at-provider" })
        }
    }

    @Test("OX-3 a disabled or unadmitted person is redirected to the app without a code")
    func notAdmitted() async throws {
        try await BridgeFixture.with { fixture in
            let person = try await fixture.base.addPerson()
            try await fixture.base.gateway.stores.people.disable(person.id)

            let fields = try await fixture.deepLink(AppSignIn())

            #expect(fields["error"] == "access_denied")
            #expect(fields["code"] == nil)
            #expect(fixture.base.lines.audit.contains { $0["reason"]?.string == "disabled" })
        }
    }

    @Test("OX-3 a callback without the browser's cookie is refused without a request to the provider")
    func otherBrowser() async throws {
        try await BridgeFixture.with { fixture in
            try await fixture.base.addPerson()
            let request = try await fixture.begin(AppSignIn(), in: fixture.browser())
            let fields = try fixture.google.approve(request)

            let anotherBrowser = try await fixture.returnToGateway(fields, in: fixture.browser())
            let program = try await fixture.base.http.send(
                "GET", "\(BridgeFixture.callback)?\(FormURLEncoded.encode(fields))")

            #expect(anotherBrowser.status == 400)
            #expect(anotherBrowser.next == nil)
            #expect(anotherBrowser.text.contains("The sign-in has ended"))
            #expect(program.status == 400)
            #expect(program.json?["error_code"]?.string == "VALIDATION_ERROR")
            #expect(program.json?["detail"]?.string == "OAUTH_INVALID_STATE")
            #expect(try fixture.google.exchanges == 0)
        }
    }

    @Test("OX-3 a swapped, foreign, expired or missing state is refused")
    func badStates() async throws {
        try await BridgeFixture.with { fixture in
            try await fixture.base.addPerson()
            let mine = fixture.browser()
            let other = fixture.browser()
            let request = try await fixture.begin(AppSignIn(), in: mine)
            let otherSignIn = try await fixture.begin(AppSignIn(), in: other)
            let fields = try fixture.google.approve(request)
            func state(_ text: String?) -> [(String, String)] {
                fields.filter { $0.0 != "state" } + (text.map { [("state", $0)] } ?? [])
            }
            let otherKey = PendingAuthorization(
                id: "AAAAAAAAAAAAAAAA", provider: "google", startedAt: fixture.base.clock.now,
                browser: SHA256.digest("x"),
                callback: SHA256.digest("y"), returnTo: .web(next: "/"))

            for (text, detail) in [
                (otherSignIn["state"], "OAUTH_INVALID_STATE"), (nil, "Missing state parameter in OAuth callback"),
                ("", "ACCESS_TOKEN_DECODE_ERROR"), ("x", "ACCESS_TOKEN_DECODE_ERROR"),
                (try otherKey.sealed(BridgeKeys(.random(32))), "ACCESS_TOKEN_DECODE_ERROR"),
            ] {
                let cookie = mine.cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
                let response = try await fixture.base.http.send(
                    "GET", "\(BridgeFixture.callback)?\(FormURLEncoded.encode(state(text)))",
                    headers: [("Cookie", cookie)])
                #expect(response.status == 400)
                #expect(response.json?["detail"]?.string == detail)
                #expect(response.next == nil)
            }
            #expect(try await fixture.returnToGateway(fields + [("state", "x")], in: mine).status == 400, "Two states.")

            fixture.base.clock.advance(hour)
            #expect(
                try await fixture.returnToGateway(fields, in: mine).next == nil,
                "A state after its time.")
            #expect(try fixture.google.exchanges == 0)
        }
    }

    @Test("OX-3 a provider's response is refused at another's callback, and its code by another provider")
    func mixUp() async throws {
        try await BridgeFixture.with(["honest", "evil"]) { fixture in
            try await fixture.base.addPerson()
            let browser = fixture.browser()
            let path = "/api/auth/oauth/evil/authorize"
            let request = try await fixture.begin(AppSignIn(), in: browser, path: path, at: "evil")
            let honest = try fixture.providers["honest"].orThrow
            let identifiedAt = honest.approve(request)

            let wrongPath = try await fixture.returnToGateway(
                identifiedAt, in: browser, path: "/api/auth/oauth/honest/callback")
            #expect(wrongPath.status == 400)
            #expect(wrongPath.next == nil)
            #expect(
                try await fixture.returnToGateway(identifiedAt, in: browser).status == 404,
                "The bare callback is nobody's.")

            let wrongIssuer = try await fixture.returnToGateway(
                identifiedAt, in: browser, path: "/api/auth/oauth/evil/callback")
            #expect(try BridgeFixture.fields(of: wrongIssuer)["error"] == "server_error")
            #expect(honest.exchanges == 0)
            #expect(fixture.providers["evil"]?.exchanges == 0)
        }
    }

    @Test("OX-4 two sign-ins in one browser are independent, in whatever order they end")
    func twoAtOnce() async throws {
        try await BridgeFixture.with { fixture in
            try await fixture.base.addPerson()
            let browser = fixture.browser()
            let (first, second) = (AppSignIn(), AppSignIn())
            let one = try await fixture.begin(first, in: browser)
            let two = try await fixture.begin(second, in: browser)

            let secondLink = try BridgeFixture.fields(
                of: try await fixture.returnToGateway(try fixture.google.approve(two), in: browser))
            let firstLink = try BridgeFixture.fields(
                of: try await fixture.returnToGateway(try fixture.google.approve(one), in: browser))

            #expect(firstLink["state"] == first.state.text)
            #expect(secondLink["state"] == second.state.text)
            #expect(try await fixture.exchange(firstLink["code"], first.verifier).status == 200)
            #expect(try await fixture.exchange(secondLink["code"], second.verifier).status == 200)
            #expect(browser.cookies.isEmpty)
        }
    }

    @Test("OX-3 a reloaded callback is refused")
    func reloaded() async throws {
        try await BridgeFixture.with { fixture in
            try await fixture.base.addPerson()
            let browser = fixture.browser()
            let fields = try fixture.google.approve(try await fixture.begin(AppSignIn(), in: browser))
            let cookies = browser.cookies

            #expect(try await fixture.returnToGateway(fields, in: browser).status == 302)
            #expect(try await fixture.returnToGateway(fields, in: browser).status == 400)
            browser.cookies = cookies
            let stolen = try BridgeFixture.fields(of: try await fixture.returnToGateway(fields, in: browser))
            #expect(stolen["code"] == nil, "The provider's code was good twice.")
        }
    }

    @Test("with response_mode=form_post the cookie has SameSite=None, and a page continues with a GET")
    func formPost() async throws {
        try await BridgeFixture.with(["google"], { $0.providers[0].settings.responseMode = .formPost }) { fixture in
            try await fixture.base.addPerson()
            let app = AppSignIn()
            let browser = fixture.browser()
            let start = try await browser.send("GET", "\(BridgeFixture.authorize)?\(app.query())")
            #expect(start.headers["Set-Cookie"]?.hasSuffix("; HttpOnly; SameSite=None; Secure") == true)
            let request = try fixture.google.request(start.next).orThrow
            #expect(request["response_mode"] == "form_post")

            let response = try await browser.send(
                "POST", BridgeFixture.callback, headers: [("Content-Type", FormURLEncoded.mediaType)],
                body: FormURLEncoded.encode(try fixture.google.approve(request)))

            #expect(response.status == 200)
            let code = try BridgeFixture.fields(of: response)["code"]
            #expect(try await fixture.exchange(code, app.verifier).status == 200)
        }
    }

    @Test("OX-4 a desktop app may use any loopback port if that is allowed")
    func loopback() async throws {
        try await BridgeFixture.with(["google"], { $0.bridge.loopbackRedirects = true }) { fixture in
            try await fixture.base.addPerson()
            let app = AppSignIn()
            let browser = fixture.browser()
            let redirect = "http://127.0.0.1:49152/callback"
            let start = try await browser.send("GET", "\(BridgeFixture.authorize)?\(app.query(redirect: redirect))")
            let request = try fixture.google.request(start.next).orThrow

            let response = try await fixture.returnToGateway(try fixture.google.approve(request), in: browser)

            #expect(response.next?.hasPrefix(redirect + "?code=") == true)
        }
    }

    @Test(
        "OX-16 sign-ins are in the audit log and the metrics, and no code, verifier, state, cookie or token in any log")
    func recorded() async throws {
        try await BridgeFixture.with { fixture in
            try await fixture.base.addPerson()
            let app = AppSignIn()
            let browser = fixture.browser()
            let request = try await fixture.begin(app, in: browser)
            let cookie = try #require(browser.cookies.values.first)
            let approved = try fixture.google.approve(request)
            let fields = try BridgeFixture.fields(of: try await fixture.returnToGateway(approved, in: browser))
            let token = try #require(try await fixture.exchange(fields["code"], app.verifier).token)
            _ = try await fixture.exchange(fields["code"], app.verifier)

            let event = try #require(fixture.base.lines.audit.first { $0["event"]?.string == "sign-in" })
            #expect(event["provider"]?.string == "google")
            let text = fixture.base.lines.text
            for secret in [
                cookie, token, app.verifier.secret.reveal(), app.state.text, fields["code"], request["state"],
                request["nonce"], approved[0].1, "of-the-provider",
            ] {
                let secret = try #require(secret)
                #expect(!text.leaks(secret))
            }
            let metrics = try await fixture.base.http.send("GET", "/metrics").text
            #expect(metrics.contains(#"latchd_bridge_sign_ins_total{provider="google",outcome="begun"} 1"#))
            #expect(metrics.contains(#"latchd_bridge_sign_ins_total{provider="google",outcome="completed"} 1"#))
            #expect(metrics.contains(#"latchd_code_exchanges_total{outcome="succeeded"} 1"#))
            #expect(metrics.contains(#"latchd_code_exchanges_total{outcome="refused"} 1"#))
        }
    }
}
