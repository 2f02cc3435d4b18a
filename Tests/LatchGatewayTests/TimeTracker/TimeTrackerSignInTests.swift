import Crypto
import FoundationEssentials
import HTTPMessages
import JOSE
import OpenIDConnect
import Testing

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayDialects
@testable import GatewayHTTP
@testable import LatchGateway
@testable import SignInBridge

@Suite("Sign-in as Time Tracker has it", .timeLimit(.minutes(20)))
struct TimeTrackerSignInTests {
    private static let ways = TimeTrackerSettings.Callback.allCases

    @Test("TT-3 TT-4 TT-6 TT-13 a whole sign-in, whoever receives the browser from the provider", arguments: ways)
    func whole(_ way: TimeTrackerSettings.Callback) async throws {
        try await TimeTrackerBench.with(callback: way) { bench in
            let person = try await bench.bench.addPerson()
            let browser = bench.bridge.browser()

            let request = try await bench.begin(browser)
            #expect(request["code_challenge_method"] == "S256")
            #expect(request["code_challenge"]?.utf8.count == 43)
            #expect(request["scope"]?.split(separator: " ").sorted() == ["email", "openid", "profile"])
            #expect(browser.cookies.isEmpty == (way == .app))
            let ours = "https://latch.example/tt/auth/callback"
            #expect(request["redirect_uri"] == (way == .app ? TimeTrackerBench.redirect : ours))

            let answer = try await bench.exchange(bench.deepLink())
            #expect(answer.status == 200)
            #expect(answer.headers["Cache-Control"] == "no-store")
            #expect(answer.headers["Set-Cookie"] == nil)
            let members = try #require(answer.json?.members)
            #expect(members.map(\.name).sorted() == ["access_token", "expires_in", "token_type", "user"])
            #expect(answer.json?["token_type"]?.string == "Bearer")
            #expect(answer.json?["expires_in"]?.number == 2_592_000)
            let user = try #require(answer.json?["user"])
            #expect(user.members?.map(\.name).sorted() == ["email", "email_verified", "fullName", "id", "username"])
            #expect(user["id"]?.string == person.id.uuidString.lowercased())
            #expect(user["email"]?.string == Bench.email)
            #expect(user["fullName"]?.string == "Ada")

            let me = try await bench.me(answer.token)
            #expect(me.status == 200)
            #expect(me.json?.members?.sorted { $0.name < $1.name } == user.members?.sorted { $0.name < $1.name })
            #expect(bench.bench.lines.audit.contains { $0["event"]?.string == "sign-in" })
        }
    }

    @Test("TT-4 a form does as well as JSON, and a verifier of the client's changes nothing", arguments: ways)
    func form(_ way: TimeTrackerSettings.Callback) async throws {
        try await TimeTrackerBench.with(callback: way) { bench in
            try await bench.bench.addPerson()
            let link = try await bench.deepLink()
            let body = FormURLEncoded.encode([
                ("code", link["code"] ?? ""), ("state", link["state"] ?? ""), ("code_verifier", "of-the-client"),
                ("redirect_uri", TimeTrackerBench.redirect),
            ])
            #expect(try await bench.post(body, type: FormURLEncoded.mediaType).status == 200)
        }
    }

    @Test("TT-13 a person without a name has fullName null, and the address for a username")
    func nameless() async throws {
        try await TimeTrackerBench.with { bench in
            _ = try await bench.bench.gateway.stores.people.add(
                email: Bench.email, password: Secret(Bench.password))
            let answer = try await bench.exchange(bench.deepLink(as: .init(name: nil)))

            #expect(answer.text.contains(#""fullName":null"#))
            #expect(answer.json?["user"]?["username"]?.string == Bench.email)
            let me = try await bench.me(answer.token)
            #expect(me.json?["fullName"] == .null)
        }
    }

    @Test("TT-9 what is missing is told in the fixed order; what JavaScript takes for false is missing")
    func missing() async throws {
        try await TimeTrackerBench.with { bench in
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
                let answer = try await bench.post(body)
                #expect(answer.status == 400)
                #expect(answer.json == ["error": .string(error)], "\(body)")
            }
            #expect(try await bench.post("x", type: "text/plain").json?["error"]?.string == all)
        }
    }

    private static let unknown = "OIDC session not found or expired. Initiate login again."

    @Test("TT-9 an unknown path, a wrong method and a body that is too large are told in the one envelope")
    func envelope() async throws {
        try await TimeTrackerBench.with { bench in
            let unknown = try await bench.http.send("GET", "/tt/nothing")
            #expect(unknown.status == 404)
            #expect(unknown.json == ["error": "Endpoint not found"])
            let method = try await bench.http.send("DELETE", "/tt/auth/me")
            #expect(method.status == 405 && method.json?["error"]?.string?.isEmpty == false)
            let large = try await bench.post(String(repeating: "x", count: 20_000))
            #expect(large.status == 413 && large.json?["error"]?.string?.isEmpty == false)
            let health = try await bench.http.send("GET", "/tt/health")
            #expect(health.status == 200)
            #expect(health.json?["status"]?.string == "ok")
            #expect(health.json?["timestamp"]?.string?.hasSuffix("Z") == true)
        }
    }

    @Test("TT-8 TT-9 without a good token /auth/me answers 401 in the one envelope, with a challenge")
    func unauthorized() async throws {
        try await TimeTrackerBench.with { bench in
            for (token, error) in [
                (nil, "Unauthorized"), ("abc", "Unauthorized: jwt malformed"),
                ("sk_00000000000000000000000000000000", "Unauthorized: invalid API key"),
            ] {
                let answer = try await bench.me(token)
                #expect(answer.status == 401)
                #expect(answer.json == ["error": .string(error)])
                #expect(answer.headers["WWW-Authenticate"]?.hasPrefix("Bearer") == true)
            }
            let other = try await bench.http.send("GET", "/tt/auth/me", headers: [("Authorization", "Basic YTpi")])
            #expect(other.status == 401 && other.json == ["error": "Unauthorized"])
        }
    }

    @Test("TT-12 signing out is always answered alike, and the token is refused from then on, everywhere")
    func logout() async throws {
        try await TimeTrackerBench.with { bench in
            try await bench.bench.addPerson()
            let token = try await bench.token()
            #expect(try await bench.bench.me(token).status == 200, "The Onyx dialect takes the same token.")

            for token in [token, token, "nonsense", nil] {
                let answer = try await bench.logout(token)
                #expect(answer.status == 200)
                #expect(answer.json == ["message": "Logged out successfully"])
            }
            let me = try await bench.me(token)
            #expect(me.status == 401 && me.json == ["error": "Unauthorized: session ended"])
            #expect(try await bench.bench.me(token).status == 403)
            #expect(try await bench.introspect(token) == ["active": false])
            #expect(try TimeTrackerBench.claims(of: token, by: try await bench.keys()) != nil)
        }
    }

    @Test("TT-3 a browser's own sign-in ends with a cookie, where it wanted to go")
    func web() async throws {
        try await TimeTrackerBench.with { bench in
            try await bench.bench.addPerson()
            let browser = bench.bridge.browser()
            let begun = try await browser.send("GET", "/tt/auth/login?next=/entries")
            let request = try bench.bridge.google.request(begun.headers["Location"]).orThrow

            let answer = try await bench.comeBack(try bench.bridge.google.approve(request), in: browser)

            #expect(answer.status == 302)
            #expect(answer.headers["Location"] == "/entries")
            #expect(try await browser.send("GET", "/tt/auth/me").json?["email"]?.string == Bench.email)
            let elsewhere = [("Sec-Fetch-Site", "cross-site")]
            #expect(try await browser.send("POST", "/tt/auth/logout", headers: elsewhere, body: "").status == 200)
            #expect(try await browser.send("GET", "/tt/auth/me").status == 200, "Another site signed the browser out.")
            let here = [("Sec-Fetch-Site", "same-origin")]
            #expect(try await browser.send("POST", "/tt/auth/logout", headers: here, body: "").status == 200)
            #expect(try await browser.send("GET", "/tt/auth/me").status == 401)
        }
    }

    @Test("A browser's former session ends at its next sign-in, whichever dialect's callback it uses")
    func replaced() async throws {
        try await TimeTrackerBench.with { bench in
            try await bench.bench.addPerson()
            let browser = bench.bridge.browser()
            var former: String?
            let ways = [
                ("/tt/auth/login?next=/", "/tt/auth/callback"),
                ("/api/auth/oauth/authorize?redirect=true", BridgeBench.callback),
                ("/tt/auth/login?next=/", "/tt/auth/callback"),
            ]
            for (start, callback) in ways {
                let begun = try await browser.send("GET", start)
                let request = try bench.bridge.google.request(begun.headers["Location"]).orThrow
                let answer = try await bench.comeBack(
                    try bench.bridge.google.approve(request), in: browser, path: callback)
                #expect(answer.status == 302)
                let token = try browser.cookies["__Host-latchd_session"].orThrow
                #expect(token != former)
                #expect(try await bench.me(token).status == 200)
                if let former { #expect(try await bench.me(former).status == 401) }
                former = token
            }
        }
    }

    @Test(
        "TT-3 one of several providers is named, each with an address of its own to come back to; the first otherwise")
    func several() async throws {
        try await TimeTrackerBench.with(["google", "other"]) { bench in
            try await bench.bench.addPerson()
            let browser = bench.bridge.browser()
            #expect(try await bench.begin(browser)["redirect_uri"]?.hasSuffix("/tt/auth/callback/google") == true)
            let query = FormURLEncoded.encode([("redirect_uri", TimeTrackerBench.redirect), ("provider", "other")])
            let begun = try await browser.send("GET", "/tt/auth/login?\(query)")
            let other = try bench.bridge.providers["other"].orThrow
            let request = try other.request(begun.headers["Location"]).orThrow

            let wrong = try await bench.comeBack(other.approve(request), in: browser, path: "/tt/auth/callback/google")
            #expect(wrong.status == 400)
            let right = try await bench.comeBack(other.approve(request), in: browser, path: "/tt/auth/callback/other")
            #expect(try await bench.exchange(TimeTrackerBench.fields(of: right)).status == 200)
            #expect(try await bench.http.send("GET", "/tt/auth/login?provider=none").status == 400)
        }
    }

    @Test("TT-3 where there are pages, a person in front of a browser chooses among several providers")
    func choice() async throws {
        try await TimeTrackerBench.with(["google", "other"]) {
            $0.pages.isEnabled = true
        } _: { bench in
            let browser = bench.bridge.browser()
            let query = FormURLEncoded.encode([("redirect_uri", TimeTrackerBench.redirect)])
            let page = try await browser.send("GET", "/tt/auth/login?\(query)")

            #expect(page.status == 200)
            for id in ["google", "other"] {
                #expect(page.text.contains("Sign in with \(id)</span></a>"))
                #expect(page.text.contains("/tt/auth/login?\(query)&amp;provider=\(id)\""))
            }
            let named = try await browser.send("GET", "/tt/auth/login?\(query)&provider=other")
            #expect(named.status == 302)
            #expect(try await bench.http.send("GET", "/tt/auth/login?\(query)").status == 302, "A program saw a page.")
        }
    }

    @Test("The addresses to register at a provider are told, the app's own where the provider goes there")
    func addresses() throws {
        var settings = GatewaySettings(databasePath: nil)
        settings.timeTracker.isEnabled = true
        settings.publicURL = "https://latch.example"
        let provider = ProviderConfiguration(
            id: "one", title: "One",
            settings: ProviderSettings(issuer: "https://i", clientID: "c", authentication: .none))
        settings.providers = [provider]
        #expect(settings.furtherCallbacks(of: provider) == ["https://latch.example/auth/callback"])
        settings.timeTracker.callback = .app
        settings.providers.append(provider)
        #expect(
            settings.furtherCallbacks(of: provider)
                == ["https://latch.example/auth/callback/one", "timetracker://oauth/callback"])
    }

    @Test("TT-9 what the provider refuses is 400, a provider that is away 503, and its words go nowhere")
    func provider() async throws {
        try await TimeTrackerBench.with(callback: .app) { bench in
            try await bench.bench.addPerson()
            let link = try await bench.deepLink()
            let refused = try await bench.exchange(link, code: "not-a-code")
            #expect(refused.status == 400)
            #expect(refused.json?["error"]?.string?.contains("Initiate login again.") == true)
            #expect(!refused.text.contains("invalid_grant"))
            #expect(try await bench.exchange(link).status == 400, "A failed exchange left the state behind.")

            let waiting = try await bench.deepLink()
            await (try bench.bridge.google).stop()
            let away = try await bench.exchange(waiting)
            #expect(away.status == 503)
            #expect(away.headers["Retry-After"] != nil)
            #expect(away.json?["error"]?.string == BridgeFailure.unavailable.sentence)
        }
    }

    @Test("TT-9 a person who is disabled gets no token", arguments: ways)
    func disabled(_ way: TimeTrackerSettings.Callback) async throws {
        try await TimeTrackerBench.with(callback: way) { bench in
            let person = try await bench.bench.addPerson()
            let link = try await bench.deepLink()
            try await bench.bench.gateway.stores.people.disable(person.id)
            let answer = try await bench.exchange(link)
            #expect(answer.status == (way == .app ? 403 : 400))
            #expect(answer.token == nil)
        }
    }
}
