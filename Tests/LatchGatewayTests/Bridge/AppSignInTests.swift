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
    @Test("OX-2 OX-3 OX-4 OX-5 a whole sign-in: browser, provider, deep link, exchange, token")
    func whole() async throws {
        try await BridgeBench.with { bench in
            let person = try await bench.bench.addPerson()
            let app = AppSignIn()
            let browser = bench.browser()

            let request = try await bench.begin(app, in: browser)
            let answer = try await bench.comeBack(try bench.google.approve(request), in: browser)

            #expect(answer.status == 302)
            #expect(answer.headers["Cache-Control"] == "no-store")
            #expect(answer.headers["Referrer-Policy"] == "no-referrer")
            #expect(answer.text.contains("You can return to the app"))
            #expect(browser.cookies.isEmpty, "A cookie was left in the browser, or a session.")
            let fields = try BridgeBench.fields(of: answer)
            #expect(fields.pairs.map(\.name) == ["code", "state"])
            #expect(fields["state"] == app.state.text)
            #expect(fields["code"]?.utf8.count == 43)
            let link = try #require(answer.headers["Location"])
            #expect(answer.text.contains(("\(link)" as HTML).markup))
            #expect(try await bench.bench.gateway.stores.sessions.liveCount() == 0, "A session before the exchange.")

            let exchange = try await bench.exchange(fields["code"], app.verifier)
            #expect(exchange.status == 200)
            #expect(exchange.json?["token_type"]?.string == "bearer")
            #expect(exchange.json?.members?.count == 2)
            #expect(exchange.headers["Set-Cookie"] == nil)
            #expect(exchange.headers["Cache-Control"] == "no-store")
            let token = try #require(exchange.token)
            #expect(token != fields["code"])
            let me = try await bench.bench.me(token)
            #expect(me.json?["id"]?.string == person.id.uuidString.lowercased())
            #expect(try await bench.bench.logout(token).status == 204)
        }
    }

    @Test("OX-3 a denial at the provider comes back to the app, with its state and nothing of the provider's words")
    func denied() async throws {
        try await BridgeBench.with { bench in
            let app = AppSignIn()
            let browser = bench.browser()
            let request = try await bench.begin(app, in: browser)

            let answer = try await bench.comeBack(try bench.google.deny(request), in: browser)

            #expect(answer.status == 302)
            let fields = try BridgeBench.fields(of: answer)
            #expect(fields.pairs.map(\.name) == ["error", "error_description", "state"])
            #expect(fields["error"] == "access_denied")
            #expect(fields["state"] == app.state.text)
            #expect(!answer.text.contains("<b>no"))
            #expect(answer.text.contains("You are not signed in"))
            #expect(browser.cookies.isEmpty)
            #expect(bench.bench.lines.audit.contains { $0["reason"]?.string == "denied-at-provider" })
        }
    }

    @Test(
        "OX-3 an error of the provider's own is told in a word that the app knows",
        arguments: [
            ("login_required", "login_required"), ("invalid_scope", "server_error"), ("strange_thing", "server_error"),
        ])
    func refusedByProvider(theirs: String, ours: String) async throws {
        try await BridgeBench.with { bench in
            let browser = bench.browser()
            let request = try await bench.begin(AppSignIn(), in: browser)
            let answer = try await bench.comeBack(try bench.google.deny(request, error: theirs), in: browser)
            #expect(try BridgeBench.fields(of: answer)["error"] == ours)
        }
    }

    @Test("a missing consent counts as the person's refusal, and the app gets the provider's error code")
    func noConsent() async throws {
        try await BridgeBench.with { bench in
            let browser = bench.browser()
            let request = try await bench.begin(AppSignIn(), in: browser)
            let answer = try await bench.comeBack(
                try bench.google.deny(request, error: "consent_required"), in: browser)
            #expect(try BridgeBench.fields(of: answer)["error"] == "consent_required")
            #expect(answer.text.contains("You declined at the identity provider"))
            #expect(bench.bench.lines.audit.contains { $0["reason"]?.string == "denied-at-provider" })
        }
    }

    @Test("OX-3 a person who is disabled, or is not to come in, comes back to the app without a code")
    func notLetIn() async throws {
        try await BridgeBench.with { bench in
            let person = try await bench.bench.addPerson()
            try await bench.bench.gateway.stores.people.disable(person.id)

            let fields = try await bench.deepLink(AppSignIn())

            #expect(fields["error"] == "access_denied")
            #expect(fields["code"] == nil)
            #expect(bench.bench.lines.audit.contains { $0["reason"]?.string == "disabled" })
        }
    }

    @Test("OX-3 a callback without the browser's cookie signs nobody in, and the provider is not even asked")
    func otherBrowser() async throws {
        try await BridgeBench.with { bench in
            try await bench.bench.addPerson()
            let request = try await bench.begin(AppSignIn(), in: bench.browser())
            let fields = try bench.google.approve(request)

            let stranger = try await bench.comeBack(fields, in: bench.browser())
            let program = try await bench.bench.http.send(
                "GET", "\(BridgeBench.callback)?\(FormURLEncoded.encode(fields))")

            #expect(stranger.status == 400)
            #expect(stranger.headers["Location"] == nil)
            #expect(stranger.text.contains("You are not signed in"))
            #expect(program.status == 400)
            #expect(program.json?["error_code"]?.string == "VALIDATION_ERROR")
            #expect(program.json?["detail"]?.string == "OAUTH_INVALID_STATE")
            #expect(try bench.google.exchanges == 0)
        }
    }

    @Test("OX-3 a swapped state, one of another gateway, a late one and none at all sign nobody in")
    func badStates() async throws {
        try await BridgeBench.with { bench in
            try await bench.bench.addPerson()
            let mine = bench.browser()
            let other = bench.browser()
            let request = try await bench.begin(AppSignIn(), in: mine)
            let foreign = try await bench.begin(AppSignIn(), in: other)
            let fields = try bench.google.approve(request)
            func state(_ text: String?) -> [(String, String)] {
                fields.filter { $0.0 != "state" } + (text.map { [("state", $0)] } ?? [])
            }
            let elsewhere = BridgeState(
                id: "AAAAAAAAAAAAAAAA", provider: "google", began: bench.bench.clock.now, browser: SHA256.digest("x"),
                callback: SHA256.digest("y"), destination: .web(next: "/"))

            for (text, detail) in [
                (foreign["state"], "OAUTH_INVALID_STATE"), (nil, "Missing state parameter in OAuth callback"),
                ("", "ACCESS_TOKEN_DECODE_ERROR"), ("x", "ACCESS_TOKEN_DECODE_ERROR"),
                (try elsewhere.sealed(BridgeKeys(.random(32))), "ACCESS_TOKEN_DECODE_ERROR"),
            ] {
                let cookie = mine.cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
                let answer = try await bench.bench.http.send(
                    "GET", "\(BridgeBench.callback)?\(FormURLEncoded.encode(state(text)))",
                    headers: [("Cookie", cookie)])
                #expect(answer.status == 400)
                #expect(answer.json?["detail"]?.string == detail)
                #expect(answer.headers["Location"] == nil)
            }
            #expect(try await bench.comeBack(fields + [("state", "x")], in: mine).status == 400, "Two states.")

            bench.bench.clock.advance(hour)
            #expect(try await bench.comeBack(fields, in: mine).headers["Location"] == nil, "A state after its time.")
            #expect(try bench.google.exchanges == 0)
        }
    }

    @Test("OX-3 one provider's answer is not taken at another's callback, nor one provider's code by another")
    func mixUp() async throws {
        try await BridgeBench.with(["honest", "evil"]) { bench in
            try await bench.bench.addPerson()
            let browser = bench.browser()
            let path = "/api/auth/oauth/evil/authorize"
            let request = try await bench.begin(AppSignIn(), in: browser, path: path, at: "evil")
            let honest = try bench.providers["honest"].orThrow
            let answered = honest.approve(request)

            let wrongPath = try await bench.comeBack(answered, in: browser, path: "/api/auth/oauth/honest/callback")
            #expect(wrongPath.status == 400)
            #expect(wrongPath.headers["Location"] == nil)
            #expect(try await bench.comeBack(answered, in: browser).status == 404, "The bare callback is nobody's.")

            let wrongIssuer = try await bench.comeBack(answered, in: browser, path: "/api/auth/oauth/evil/callback")
            #expect(try BridgeBench.fields(of: wrongIssuer)["error"] == "server_error")
            #expect(honest.exchanges == 0)
            #expect(bench.providers["evil"]?.exchanges == 0)
        }
    }

    @Test("OX-4 two sign-ins in one browser do not disturb each other, in whatever order they end")
    func twoAtOnce() async throws {
        try await BridgeBench.with { bench in
            try await bench.bench.addPerson()
            let browser = bench.browser()
            let (first, second) = (AppSignIn(), AppSignIn())
            let one = try await bench.begin(first, in: browser)
            let two = try await bench.begin(second, in: browser)

            let secondLink = try BridgeBench.fields(
                of: try await bench.comeBack(try bench.google.approve(two), in: browser))
            let firstLink = try BridgeBench.fields(
                of: try await bench.comeBack(try bench.google.approve(one), in: browser))

            #expect(firstLink["state"] == first.state.text)
            #expect(secondLink["state"] == second.state.text)
            #expect(try await bench.exchange(firstLink["code"], first.verifier).status == 200)
            #expect(try await bench.exchange(secondLink["code"], second.verifier).status == 200)
            #expect(browser.cookies.isEmpty)
        }
    }

    @Test("OX-3 a callback that is loaded again signs nobody in")
    func reloaded() async throws {
        try await BridgeBench.with { bench in
            try await bench.bench.addPerson()
            let browser = bench.browser()
            let fields = try bench.google.approve(try await bench.begin(AppSignIn(), in: browser))
            let cookies = browser.cookies

            #expect(try await bench.comeBack(fields, in: browser).status == 302)
            #expect(try await bench.comeBack(fields, in: browser).status == 400)
            browser.cookies = cookies
            let stolen = try BridgeBench.fields(of: try await bench.comeBack(fields, in: browser))
            #expect(stolen["code"] == nil, "The provider's code was good twice.")
        }
    }

    @Test("a provider that posts a form gets a cookie that comes with it, and the browser goes on by GET")
    func formPost() async throws {
        try await BridgeBench.with(["google"], { $0.providers[0].settings.responseMode = .formPost }) { bench in
            try await bench.bench.addPerson()
            let app = AppSignIn()
            let browser = bench.browser()
            let begun = try await browser.send("GET", "\(BridgeBench.authorize)?\(app.query())")
            #expect(begun.headers["Set-Cookie"]?.hasSuffix("; HttpOnly; SameSite=None; Secure") == true)
            let request = try bench.google.request(begun.headers["Location"]).orThrow
            #expect(request["response_mode"] == "form_post")

            let answer = try await browser.send(
                "POST", BridgeBench.callback, headers: [("Content-Type", FormURLEncoded.mediaType)],
                body: FormURLEncoded.encode(try bench.google.approve(request)))

            #expect(answer.status == 303)
            let code = try BridgeBench.fields(of: answer)["code"]
            #expect(try await bench.exchange(code, app.verifier).status == 200)
        }
    }

    @Test("OX-4 a desktop app may take any port of the loopback, where that is allowed")
    func loopback() async throws {
        try await BridgeBench.with(["google"], { $0.bridge.loopbackRedirects = true }) { bench in
            try await bench.bench.addPerson()
            let app = AppSignIn()
            let browser = bench.browser()
            let redirect = "http://127.0.0.1:49152/callback"
            let begun = try await browser.send("GET", "\(BridgeBench.authorize)?\(app.query(redirect: redirect))")
            let request = try bench.google.request(begun.headers["Location"]).orThrow

            let answer = try await bench.comeBack(try bench.google.approve(request), in: browser)

            #expect(answer.headers["Location"]?.hasPrefix(redirect + "?code=") == true)
        }
    }

    @Test(
        "OX-16 sign-ins are in the audit log and the metrics, and no code, verifier, state, cookie or token in any log")
    func recorded() async throws {
        try await BridgeBench.with { bench in
            try await bench.bench.addPerson()
            let app = AppSignIn()
            let browser = bench.browser()
            let request = try await bench.begin(app, in: browser)
            let cookie = try #require(browser.cookies.values.first)
            let approved = try bench.google.approve(request)
            let fields = try BridgeBench.fields(of: try await bench.comeBack(approved, in: browser))
            let token = try #require(try await bench.exchange(fields["code"], app.verifier).token)
            _ = try await bench.exchange(fields["code"], app.verifier)

            let event = try #require(bench.bench.lines.audit.first { $0["event"]?.string == "sign-in" })
            #expect(event["provider"]?.string == "google")
            let text = bench.bench.lines.text
            for secret in [
                cookie, token, app.verifier.secret.reveal(), app.state.text, fields["code"], request["state"],
                request["nonce"], approved[0].1, "of-the-provider",
            ] {
                let secret = try #require(secret)
                #expect(!text.leaks(secret))
            }
            let metrics = try await bench.bench.http.send("GET", "/metrics").text
            #expect(metrics.contains(#"latchd_bridge_sign_ins_total{provider="google",outcome="begun"} 1"#))
            #expect(metrics.contains(#"latchd_bridge_sign_ins_total{provider="google",outcome="completed"} 1"#))
            #expect(metrics.contains(#"latchd_code_exchanges_total{outcome="succeeded"} 1"#))
            #expect(metrics.contains(#"latchd_code_exchanges_total{outcome="refused"} 1"#))
        }
    }
}
