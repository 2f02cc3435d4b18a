import Crypto
import FoundationEssentials
import HTTPMessages
import TestSupport
import Testing

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayHTTP
@testable import LatchGateway

@Suite(.timeLimit(.minutes(20)))
struct WebSignInTests {
    private func signIn(_ fixture: BridgeFixture, _ browser: TestBrowser, next: String? = nil) async throws
        -> Exchange.Response
    {
        let query = FormURLEncoded.encode([("redirect", "true")] + (next.map { [("next", $0)] } ?? []))
        let start = try await browser.send("GET", "/api/auth/oauth/authorize?\(query)")
        let request = try fixture.google.request(start.headers["Location"]).orThrow
        return try await fixture.returnToGateway(try fixture.google.approve(request), in: browser)
    }

    @Test("OX-2 without the app's parameters the browser is signed in by an HttpOnly cookie")
    func completeSignIn() async throws {
        try await BridgeFixture.with { fixture in
            try await fixture.base.addPerson()
            let browser = fixture.browser()

            let response = try await signIn(fixture, browser, next: "/photos?album=1")

            #expect(response.status == 302)
            #expect(response.headers["Location"] == "/photos?album=1")
            let cookie = try #require(response.headers.values("Set-Cookie").first { $0.hasPrefix("latchd_session=") })
            #expect(cookie.hasSuffix("; HttpOnly; SameSite=Lax"))
            #expect(cookie.contains("; Path=/; "))
            #expect(Array(browser.cookies.keys) == ["latchd_session"])
            let me = try await browser.send("GET", "/api/me")
            #expect(me.json?["email"]?.string == GatewayFixture.email)
        }
    }

    @Test("a web sign-in does not force a new sign-in at the provider, and redirects to the root by default")
    func silent() async throws {
        try await BridgeFixture.with { fixture in
            try await fixture.base.addPerson()
            let start = try await fixture.browser().send("GET", "/api/auth/oauth/authorize?redirect=1")
            let request = try fixture.google.request(start.headers["Location"]).orThrow
            #expect(request["prompt"] == nil)
            #expect(try await signIn(fixture, fixture.browser()).headers["Location"] == "/")
        }
    }

    @Test(
        "OX-2 next must be a path on this server",
        arguments: [
            "https://evil.example/", "//evil.example/", #"/\evil.example"#, #"\\evil.example"#, "/a//evil.example",
            "evil", "javascript:alert(1)", "/\t/evil.example", "/\u{0A}", "/ä", "///evil.example", "./x",
        ])
    func openRedirector(_ next: String) async throws {
        try await BridgeFixture.with { fixture in
            let query = FormURLEncoded.encode([("redirect", "true"), ("next", next)])
            let response = try await fixture.browser().send("GET", "/api/auth/oauth/authorize?\(query)")
            #expect(response.status == 400)
            #expect(response.headers["Location"] == nil)
        }
    }

    @Test(
        "the cookie is checked before the bearer, and an invalid cookie does not affect the bearer")
    func cookieThenBearer() async throws {
        try await BridgeFixture.with { fixture in
            try await fixture.base.addPerson()
            let other = try await fixture.base.addPerson("grace@example.org")
            let bearer = try #require(try await fixture.base.login(other.email).token)
            let browser = fixture.browser()
            _ = try await signIn(fixture, browser)
            let good = try #require(browser.cookies["latchd_session"])
            func me(_ cookie: String, _ bearer: String?) async throws -> Exchange.Response {
                let headers = [("Cookie", "a=b; latchd_session=\(cookie); c=d")] + GatewayFixture.bearer(bearer)
                return try await fixture.base.http.send("GET", "/api/me", headers: headers)
            }

            #expect(try await me(good, bearer).json?["email"]?.string == GatewayFixture.email)
            #expect(try await me("unknown", bearer).json?["email"]?.string == other.email)
            #expect(
                try await me(Base64URL.encode(SecureRandom.bytes(32)), bearer).json?["email"]?.string == other.email)
            #expect(try await me("unknown", nil).json?["error_code"]?.string == "SESSION_UNRECOGNIZED")
            _ = try await fixture.base.logout(bearer)
            #expect(try await me("unknown", bearer).json?["error_code"]?.string == "SESSION_TERMINATED")
            let person = try await fixture.base.gateway.stores.people.require(GatewayFixture.email)
            _ = try await fixture.base.gateway.stores.people.disable(person.id)
            #expect(try await me(good, "unknown").json?["error_code"]?.string == "SESSION_TERMINATED")
        }
    }

    @Test(
        "a request that changes something with the cookie must come from a page of this server",
        arguments: [
            [("Origin", "https://evil.example")], [("Origin", "null")], [("Sec-Fetch-Site", "cross-site")],
            [("Sec-Fetch-Site", "same-site"), ("Origin", "http://127.0.0.1")], [("Sec-Fetch-Site", "none")], [],
            [("Origin", "http://127.0.0.1"), ("Origin", "https://evil.example")], [("Origin", "http://127.0.0.1.evil")],
        ])
    func otherSites(_ headers: [(String, String)]) async throws {
        try await BridgeFixture.with { fixture in
            try await fixture.base.addPerson()
            let browser = fixture.browser()
            _ = try await signIn(fixture, browser)

            for path in ["logout", "refresh"] {
                let response = try await browser.send("POST", "/api/auth/mobile/\(path)", headers: headers, body: "")
                #expect(response.status == (headers.isEmpty || headers[0].1 == "none" ? 401 : 403))
                #expect(response.headers["Set-Cookie"] == nil)
            }
            #expect(try await browser.send("GET", "/api/me").status == 200)
        }
    }

    @Test("a page of this server can refresh and end its session, and no script gets the token")
    func ownPage() async throws {
        try await BridgeFixture.with { fixture in
            try await fixture.base.addPerson()
            let browser = fixture.browser()
            _ = try await signIn(fixture, browser)
            let token = browser.cookies["latchd_session"]

            let refresh = try await browser.send(
                "POST", "/api/auth/mobile/refresh", headers: [("Origin", "http://127.0.0.1")], body: "")
            #expect(refresh.status == 204)
            #expect(refresh.body.isEmpty)
            #expect(browser.cookies["latchd_session"] == token)

            let logout = try await browser.send(
                "POST", "/api/auth/mobile/logout", headers: [("Sec-Fetch-Site", "same-origin")], body: "")
            #expect(logout.status == 204)
            #expect(browser.cookies.isEmpty)
            #expect(try await fixture.base.me(token).json?["error_code"]?.string == "SESSION_TERMINATED")
        }
    }

    @Test("with a public address the origin must be that one, and the cookie is bound to the host")
    func publicOrigin() async throws {
        try await BridgeFixture.with(["google"], { $0.publicURL = "https://ID.example.org:443/onyx" }) { fixture in
            try await fixture.base.addPerson()
            let browser = fixture.browser()
            let response = try await signIn(fixture, browser)
            let cookie = try #require(
                response.headers.values("Set-Cookie").first { $0.hasPrefix("__Host-latchd_session=") })
            #expect(cookie.hasSuffix("; HttpOnly; SameSite=Lax; Secure"))

            let wrong = try await browser.send(
                "POST", "/api/auth/mobile/logout", headers: [("Origin", "http://127.0.0.1")], body: "")
            #expect(wrong.status == 403)
            let right = try await browser.send(
                "POST", "/api/auth/mobile/logout", headers: [("Origin", "https://id.example.org")], body: "")
            #expect(right.status == 204)
        }
    }

    @Test("a denied or refused web sign-in ends on an error page")
    func failed() async throws {
        try await BridgeFixture.with { fixture in
            let person = try await fixture.base.addPerson()
            let browser = fixture.browser()
            let start = try await browser.send("GET", "/api/auth/oauth/authorize?redirect=true")
            let request = try fixture.google.request(start.headers["Location"]).orThrow
            let denied = try await fixture.returnToGateway(try fixture.google.deny(request), in: browser)
            #expect(denied.status == 400)
            #expect(denied.headers["Content-Type"] == "text/html; charset=utf-8")
            #expect(browser.cookies.isEmpty)

            _ = try await fixture.base.gateway.stores.people.disable(person.id)
            let refused = try await signIn(fixture, browser)
            #expect(refused.status == 403)
            #expect(refused.text.contains("disabled"))
            #expect(browser.cookies.isEmpty)
        }
    }

    @Test("a callback that one address repeats leaves a bounded number of lines in the audit log and the log")
    func repeatedFailures() async throws {
        try await BridgeFixture.with(
            ["google"], codes: nil,
            { (settings: inout GatewaySettings) in settings.requestRates.address = .perMinute(10_000) }
        ) { fixture in
            let browser = fixture.browser()
            let start = try await browser.send("GET", "/api/auth/oauth/authorize?redirect=true")
            let request = try fixture.google.request(start.headers["Location"]).orThrow
            let cookies = browser.cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
            for fields in [try fixture.google.deny(request), try fixture.google.approve(request)] {
                let query = FormURLEncoded.encode(fields.map { ($0.0, $0.0 == "code" ? "x" : $0.1) })
                for _ in 0..<100 {
                    let response = try await fixture.base.http.send(
                        "GET", "/api/auth/oauth/callback?\(query)", headers: [("Cookie", cookies)])
                    #expect(response.status >= 400)
                }
            }
            let share = AddressKey(IPAddress("127.0.0.1")).share(of: LineLimit.maximum)
            let lines = fixture.base.lines.text.split(separator: "\n")
            #expect(lines.count { $0.contains("sign-in-failed") } == share)
            #expect(lines.count { $0.contains("A sign-in through an identity provider failed.") } <= share)
        }
    }

    @Test("a refused account of the provider is named, and another one can be used")
    func otherAccount() async throws {
        try await BridgeFixture.with { fixture in
            let browser = fixture.browser()
            let account = SmallProvider.Account(subject: "eve-1", email: "eve<b>@example.org")
            let start = try await browser.send("GET", "/api/auth/oauth/authorize?redirect=true&next=%2Fphotos")
            let request = try fixture.google.request(start.headers["Location"]).orThrow
            #expect(request["prompt"] == nil)
            let refused = try await fixture.returnToGateway(
                try fixture.google.approve(request, account), in: browser)
            #expect(refused.status == 403 && refused.text.contains("<strong>eve&lt;b&gt;@example.org</strong>"))
            let path = "/api/auth/oauth/google/authorize?redirect=true&next=%2Fphotos&another=true"
            let link = "href=\"\(path.replacing("&", with: "&amp;"))\">Use another account</a>"
            #expect(refused.text.contains(link) && refused.text.contains(">Try again</a>"))

            let other = try await browser.send("GET", path)
            let asked = try fixture.google.request(other.headers["Location"]).orThrow
            #expect(asked["prompt"] == "login" && asked["max_age"] == nil)
            try await fixture.base.addPerson()
            let done = try await fixture.returnToGateway(try fixture.google.approve(asked), in: browser)
            #expect(done.headers["Location"] == "/photos", "the provider need not tell when the person signed in")
        }
    }

    @Test("without identity providers a cookie is refused")
    func noBridge() async throws {
        try await GatewayFixture.with { fixture in
            try await fixture.addPerson()
            let token = try await fixture.token()
            let response = try await fixture.http.send(
                "GET", "/api/me", headers: [("Cookie", "latchd_session=\(token)")])
            #expect(response.status == 403)
        }
    }
}
