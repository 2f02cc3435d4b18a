import Crypto
import FoundationEssentials
import HTTPMessages
import JOSE
import OpenIDConnect
import TestSupport
import Testing

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayDialects
@testable import GatewayHTTP
@testable import LatchGateway
@testable import SignInBridge

@Suite("Time Tracker sign-in", .timeLimit(.minutes(20)))
struct TimeTrackerSignInTests {
    private static let ways = TimeTrackerSettings.Callback.allCases

    @Test("TT-3 TT-4 TT-6 TT-13 a complete sign-in, with the callback at the app or at the gateway", arguments: ways)
    func completeSignIn(_ way: TimeTrackerSettings.Callback) async throws {
        try await TimeTrackerFixture.with(callback: way) { fixture in
            let person = try await fixture.base.addPerson()
            let browser = fixture.bridge.browser()

            let request = try await fixture.begin(browser)
            #expect(request["code_challenge_method"] == "S256")
            #expect(request["code_challenge"]?.utf8.count == 43)
            #expect(request["scope"]?.split(separator: " ").sorted() == ["email", "openid", "profile"])
            #expect(browser.cookies.isEmpty == (way == .app))
            let ours = "https://latch.example/tt/auth/callback"
            #expect(request["redirect_uri"] == (way == .app ? TimeTrackerFixture.redirect : ours))

            let response = try await fixture.exchange(fixture.deepLink(as: .init(methods: ["mfa"])))
            #expect(response.status == 200)
            let session = try await fixture.base.gateway.issuer.authenticateSigned(response.token ?? "").session
            #expect(session?.methods.values == ["mfa"])
            #expect(response.headers["Cache-Control"] == "no-store")
            #expect(response.headers["Set-Cookie"] == nil)
            let members = try #require(response.json?.members)
            #expect(members.map(\.name).sorted() == ["access_token", "expires_in", "token_type", "user"])
            #expect(response.json?["token_type"]?.string == "Bearer")
            #expect(response.json?["expires_in"]?.number == 2_592_000)
            let user = try #require(response.json?["user"])
            #expect(user.members?.map(\.name).sorted() == ["email", "email_verified", "fullName", "id", "username"])
            #expect(user["id"]?.string == person.id.uuidString.lowercased())
            #expect(user["email"]?.string == GatewayFixture.email)
            #expect(user["fullName"]?.string == "Ada")

            let me = try await fixture.me(response.token)
            #expect(me.status == 200)
            #expect(me.json?.members?.sorted { $0.name < $1.name } == user.members?.sorted { $0.name < $1.name })
            #expect(fixture.base.lines.audit.contains { $0["event"]?.string == "sign-in" })
        }
    }

    @Test("TT-4 a form is accepted like JSON, and a verifier from the client changes nothing", arguments: ways)
    func form(_ way: TimeTrackerSettings.Callback) async throws {
        try await TimeTrackerFixture.with(callback: way) { fixture in
            try await fixture.base.addPerson()
            let link = try await fixture.deepLink()
            let body = FormURLEncoded.encode([
                ("code", link["code"] ?? ""), ("state", link["state"] ?? ""), ("code_verifier", "of-the-client"),
                ("redirect_uri", TimeTrackerFixture.redirect),
            ])
            #expect(try await fixture.post(body, type: FormURLEncoded.mediaType).status == 200)
        }
    }

    @Test("TT-13 a person without a name has fullName null, and the address as username")
    func nameless() async throws {
        try await TimeTrackerFixture.with { fixture in
            _ = try await fixture.base.gateway.stores.people.add(
                email: GatewayFixture.email, password: Secret(GatewayFixture.password))
            let response = try await fixture.exchange(fixture.deepLink(as: .init(name: nil)))

            #expect(response.text.contains(#""fullName":null"#))
            #expect(response.json?["user"]?["username"]?.string == GatewayFixture.email)
            let me = try await fixture.me(response.token)
            #expect(me.json?["fullName"] == .null)
        }
    }

    @Test("TT-9 missing members are reported in a fixed order; falsy values in JavaScript count as missing")
    func missing() async throws {
        try await TimeTrackerFixture.with { fixture in
            let all = "Missing required parameters: code, state, redirect_uri"
            let rows: [(String, String)] = [
                ("{}", all), ("[]", all), (#"{"redirect_uri":"","state":null,"code":0}"#, all),
                (#"{"redirect_uri":"x","code":"c"}"#, "Missing required parameters: state"),
                (#"{"state":"x"}"#, "Missing required parameters: code, redirect_uri"),
                (#"{"code":"c","state":"s"}"#, "Missing required parameters: redirect_uri"),
                ("{", "The body is not JSON."),
                (#"{"code":"c","state":7,"redirect_uri":"r"}"#, Self.unknown),
                (#"{"code":"c","state":"s","redirect_uri":"r"}"#, Self.unknown),
            ]
            for (body, error) in rows {
                let response = try await fixture.post(body)
                #expect(response.status == 400)
                #expect(response.json == ["error": .string(error)], "\(body)")
            }
            #expect(try await fixture.post("x", type: "text/plain").json?["error"]?.string == all)
        }
    }

    private static let unknown = "OIDC session not found or expired. Initiate login again."

    @Test("TT-9 an unknown path, a wrong method and a body that is too large get the same error format")
    func envelope() async throws {
        try await TimeTrackerFixture.with { fixture in
            let unknown = try await fixture.http.send("GET", "/tt/nothing")
            #expect(unknown.status == 404)
            #expect(unknown.json == ["error": "Endpoint not found"])
            let method = try await fixture.http.send("DELETE", "/tt/auth/me")
            #expect(method.status == 405 && method.json?["error"]?.string?.isEmpty == false)
            let large = try await fixture.post(String(repeating: "x", count: 20_000))
            #expect(large.status == 413 && large.json?["error"]?.string?.isEmpty == false)
            let health = try await fixture.http.send("GET", "/tt/health")
            #expect(health.status == 200)
            #expect(health.json?["status"]?.string == "ok")
            #expect(health.json?["timestamp"]?.string?.hasSuffix("Z") == true)
        }
    }

    @Test("TT-8 TT-9 without a valid token /auth/me returns 401 in the same error format, with a challenge")
    func unauthorized() async throws {
        try await TimeTrackerFixture.with { fixture in
            for (token, error) in [
                (nil, "Unauthorized"), ("abc", "Unauthorized: jwt malformed"),
                ("sk_00000000000000000000000000000000", "Unauthorized: invalid API key"),
            ] {
                let response = try await fixture.me(token)
                #expect(response.status == 401)
                #expect(response.json == ["error": .string(error)])
                #expect(response.headers["WWW-Authenticate"]?.hasPrefix("Bearer") == true)
            }
            let other = try await fixture.http.send("GET", "/tt/auth/me", headers: [("Authorization", "Basic YTpi")])
            #expect(other.status == 401 && other.json == ["error": "Unauthorized"])
        }
    }

    @Test("TT-12 signing out always gets the same response, and the token is refused everywhere afterwards")
    func logout() async throws {
        try await TimeTrackerFixture.with { fixture in
            try await fixture.base.addPerson()
            let token = try await fixture.token()
            #expect(try await fixture.me(token).status == 200)
            #expect(try await fixture.base.me(token).status == 403, "Apps send this token to other servers.")

            for token in [token, token, "nonsense", nil] {
                let response = try await fixture.logout(token)
                #expect(response.status == 200)
                #expect(response.json == ["message": "Logged out successfully"])
            }
            let me = try await fixture.me(token)
            #expect(me.status == 401 && me.json == ["error": "Unauthorized: session ended"])
            #expect(try await fixture.base.me(token).status == 403)
            #expect(try await fixture.introspect(token) == ["active": false])
            #expect(try TimeTrackerFixture.claims(of: token, by: try await fixture.keys()) != nil)
        }
    }

    @Test("TT-3 a browser's own sign-in ends with a cookie and a redirect to the requested page")
    func web() async throws {
        try await TimeTrackerFixture.with { fixture in
            try await fixture.base.addPerson()
            let browser = fixture.bridge.browser()
            let started = try await browser.send("GET", "/tt/auth/login?next=/entries")
            let request = try fixture.bridge.google.request(started.headers["Location"]).orThrow

            let response = try await fixture.returnToGateway(try fixture.bridge.google.approve(request), in: browser)

            #expect(response.status == 302)
            #expect(response.headers["Location"] == "/entries")
            #expect(try await browser.send("GET", "/tt/auth/me").json?["email"]?.string == GatewayFixture.email)
            let crossSite = [("Sec-Fetch-Site", "cross-site")]
            #expect(try await browser.send("POST", "/tt/auth/logout", headers: crossSite, body: "").status == 403)
            #expect(try await browser.send("GET", "/tt/auth/me").status == 200, "Another site signed the browser out.")
            let sameOrigin = [("Sec-Fetch-Site", "same-origin")]
            #expect(try await browser.send("POST", "/tt/auth/logout", headers: sameOrigin, body: "").status == 200)
            #expect(try await browser.send("GET", "/tt/auth/me").status == 401)
        }
    }

    @Test("A browser's previous session ends at its next sign-in, whichever dialect's callback it uses")
    func replaced() async throws {
        try await TimeTrackerFixture.with { fixture in
            try await fixture.base.addPerson()
            let browser = fixture.bridge.browser()
            var former: String?
            let variants = [
                ("/tt/auth/login?next=/", "/tt/auth/callback"),
                ("/api/auth/oauth/authorize?redirect=true", BridgeFixture.callback),
                ("/tt/auth/login?next=/", "/tt/auth/callback"),
            ]
            for (start, callback) in variants {
                let started = try await browser.send("GET", start)
                let request = try fixture.bridge.google.request(started.headers["Location"]).orThrow
                let response = try await fixture.returnToGateway(
                    try fixture.bridge.google.approve(request), in: browser, path: callback)
                #expect(response.status == 302)
                let token = try browser.cookies["__Host-latchd_session"].orThrow
                #expect(token != former)
                #expect(try await fixture.me(token).status == 200)
                if let former { #expect(try await fixture.me(former).status == 401) }
                former = token
            }
        }
    }

    @Test(
        "TT-3 a request names one of several providers, each with its own callback; the default is the first")
    func severalProviders() async throws {
        try await TimeTrackerFixture.with(["google", "other"]) { fixture in
            try await fixture.base.addPerson()
            let browser = fixture.bridge.browser()
            #expect(try await fixture.begin(browser)["redirect_uri"]?.hasSuffix("/tt/auth/callback/google") == true)
            let query = FormURLEncoded.encode([("redirect_uri", TimeTrackerFixture.redirect), ("provider", "other")])
            let started = try await browser.send("GET", "/tt/auth/login?\(query)")
            let other = try fixture.bridge.providers["other"].orThrow
            let request = try other.request(started.headers["Location"]).orThrow

            let wrong = try await fixture.returnToGateway(
                other.approve(request), in: browser, path: "/tt/auth/callback/google")
            #expect(wrong.status == 400)
            let right = try await fixture.returnToGateway(
                other.approve(request), in: browser, path: "/tt/auth/callback/other")
            #expect(try await fixture.exchange(TimeTrackerFixture.fields(of: right)).status == 200)
            #expect(try await fixture.http.send("GET", "/tt/auth/login?provider=none").status == 400)
        }
    }

    @Test("TT-3 with pages enabled, a person in a browser chooses among several providers")
    func choice() async throws {
        try await TimeTrackerFixture.with(["google", "other"]) {
            $0.pages.isEnabled = true
        } _: { fixture in
            let browser = fixture.bridge.browser()
            let query = FormURLEncoded.encode([("redirect_uri", TimeTrackerFixture.redirect)])
            let page = try await browser.send("GET", "/tt/auth/login?\(query)")

            #expect(page.status == 200)
            for id in ["google", "other"] {
                #expect(page.text.contains("Sign in with \(id)</span></a>"))
                #expect(page.text.contains("/tt/auth/login?\(query)&amp;provider=\(id)\""))
            }
            let named = try await browser.send("GET", "/tt/auth/login?\(query)&provider=other")
            #expect(named.status == 302)
            #expect(
                try await fixture.http.send("GET", "/tt/auth/login?\(query)").status == 302, "A program saw a page.")
        }
    }

    @Test("The addresses to register at a provider are listed, or the app's own if the provider redirects there")
    func addresses() throws {
        var settings = GatewaySettings(databasePath: nil)
        settings.timeTracker.isEnabled = true
        settings.publicURL = "https://latch.example"
        let provider = ProviderConfiguration(
            id: "one", title: "One",
            settings: ProviderSettings(issuer: "https://i", clientID: "c", authentication: .none))
        settings.providers = [provider]
        #expect(settings.additionalCallbacks(of: provider) == ["https://latch.example/auth/callback"])
        settings.timeTracker.callback = .app
        settings.providers.append(provider)
        #expect(
            settings.additionalCallbacks(of: provider)
                == ["https://latch.example/auth/callback/one", "timetracker://oauth/callback"])
    }

    @Test("TT-9 a provider's refusal gets 400, an unreachable provider 503, without the provider's text")
    func provider() async throws {
        try await TimeTrackerFixture.with(callback: .app) { fixture in
            try await fixture.base.addPerson()
            let link = try await fixture.deepLink()
            let refused = try await fixture.exchange(link, code: "not-a-code")
            #expect(refused.status == 400)
            #expect(refused.json?["error"]?.string?.contains("Initiate login again.") == true)
            #expect(!refused.text.contains("invalid_grant"))
            #expect(try await fixture.exchange(link).status == 400, "A failed exchange left the state behind.")

            let waiting = try await fixture.deepLink()
            await (try fixture.bridge.google).stop()
            let away = try await fixture.exchange(waiting)
            #expect(away.status == 503)
            #expect(away.headers["Retry-After"] != nil)
            #expect(away.json?["error"]?.string == BridgeFailure.unavailable.sentence)
        }
    }

    @Test("TT-9 a person who is disabled gets no token", arguments: ways)
    func disabled(_ way: TimeTrackerSettings.Callback) async throws {
        try await TimeTrackerFixture.with(callback: way) { fixture in
            let person = try await fixture.base.addPerson()
            let link = try await fixture.deepLink()
            try await fixture.base.gateway.stores.people.disable(person.id)
            let response = try await fixture.exchange(link)
            #expect(response.status == (way == .app ? 403 : 400))
            #expect(response.token == nil)
        }
    }

    @Test(
        "a token is accepted behind a proxy from its app, if this server is its audience, and never as a cookie",
        arguments: [nil, "https://tracker.example.net"] as [String?])
    func protectedHosts(_ audience: String?) async throws {
        try await TimeTrackerFixture.with { settings in
            settings.timeTracker.audience = audience
            settings.trustedProxies = TrustedProxies([IPNetwork("127.0.0.0/8")].compactMap { $0 })
            settings.verify.isEnabled = true
            settings.verify.rules.rules = [AccessDraft(hosts: ["app.example.org"]).rule("app")]
        } _: { fixture in
            try await fixture.base.addPerson()
            let token = try await fixture.token()
            func verify(_ fields: [(String, String)]) async throws -> Int {
                let identity = [
                    ("X-Forwarded-Host", "app.example.org"), ("X-Forwarded-Proto", "https"),
                    ("X-Forwarded-Method", "GET"), ("X-Forwarded-Uri", "/"), ("Sec-Fetch-Site", "same-origin"),
                ]
                return try await fixture.http.send("GET", "/auth/verify", headers: identity + fields).status
            }
            #expect(try await verify(GatewayFixture.bearer(token)) == (audience == nil ? 200 : 401))
            #expect(try await verify([("Cookie", "latchd_session=\(token)")]) == 401)
            #expect(try await fixture.me(token).status == 200)
            #expect(try await fixture.introspect(token)?["active"] == true)
        }
    }
}
