import Crypto
import FoundationEssentials
import HTTPMessages
import OAuth
import TestSupport
import Testing

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayHTTP
@testable import LatchGateway

/// Sign-in through an identity provider as clients of Immich do it, over HTTP with a provider beside the gateway.
@Suite(.timeLimit(.minutes(20)))
struct ImmichOAuthTests {
    private static let redirect = "app.immich:///oauth-callback"

    /// A sign-in of an app: what it remembers of it.
    private struct App {
        let verifier = PKCE.Verifier()
        let state = State()
        var redirect = ImmichOAuthTests.redirect
        var secret: String { verifier.secret.reveal() }

        var authorization: JSONValue {
            [
                "redirectUri": .string(redirect), "state": .string(state.text),
                "codeChallenge": .string(verifier.challenge.text),
            ]
        }

        func callback(_ url: String) -> JSONValue {
            ["url": .string(url), "state": .string(state.text), "codeVerifier": .string(secret)]
        }
    }

    private func with(
        _ providers: [String] = ["google"], _ change: (inout GatewaySettings) -> Void = { _ in },
        _ body: (BridgeFixture, ImmichFixture) async throws -> Void
    ) async throws {
        try await BridgeFixture.withImmich(providers, change) { fixture in
            try await fixture.base.addPerson()
            try await body(fixture, ImmichFixture(base: fixture.base))
        }
    }

    /// The path and query of the address that the app is given.
    private func path(_ response: Exchange.Response) throws -> String {
        let url = try (response.json?["url"]?.string).orThrow
        return try Self.path(of: url)
    }

    private static func path(of url: String) throws -> String {
        try "/" + url.split(separator: "/", maxSplits: 2).dropFirst(2).last.orThrow
    }

    /// Goes through the browser, from the address that the app was given to the one that it ends at.
    private func browse(
        _ start: String, _ fixture: BridgeFixture, in browser: TestBrowser? = nil, at provider: String = "google",
        as account: SmallProvider.Account = .init()
    ) async throws -> String {
        let browser = browser ?? fixture.browser()
        let sent = try await browser.send("GET", start)
        let provider = try fixture.providers[provider].orThrow
        let request = try provider.request(sent.headers["Location"]).orThrow
        let callback = try Self.path(of: try request["redirect_uri"].orThrow)
        let back = try await fixture.returnToGateway(provider.approve(request, account), in: browser, path: callback)
        return try back.headers["Location"].orThrow
    }

    private func link(
        _ app: App, _ fixture: BridgeFixture, _ immich: ImmichFixture, as account: SmallProvider.Account = .init()
    ) async throws -> String {
        let response = try await immich.send("POST", "/oauth/authorize", nil, app.authorization)
        #expect(response.status == 201)
        return try await browse(try path(response), fixture, as: account)
    }

    private func signIn(_ app: App, _ fixture: BridgeFixture, _ immich: ImmichFixture) async throws -> Exchange.Response
    {
        try await immich.send("POST", "/oauth/callback", nil, app.callback(try await link(app, fixture, immich)))
    }

    @Test("IM-7 an app signs in through the provider with its own state and verifier")
    func signsIn() async throws {
        try await with { fixture, immich in
            #expect(try await immich.send("GET", "/server/features").json?["oauth"] == true)
            let config = try await immich.send("GET", "/server/config").json
            #expect(config?["oauthButtonText"]?.string == "Sign in with google")
            let app = App()
            let link = try await link(app, fixture, immich)
            #expect(link.hasPrefix(Self.redirect + "?code="))
            #expect(link.hasSuffix("&state=" + app.state.text))

            let response = try await immich.send("POST", "/oauth/callback", nil, app.callback(link))

            #expect(response.status == 201)
            #expect(response.json?["userEmail"]?.string == GatewayFixture.email)
            #expect(response.cookies["immich_auth_type"]?.hasPrefix("oauth;") == true)
            let token = try (response.json?["accessToken"]?.string).orThrow
            #expect(try await immich.send("GET", "/users/me", token).json?["oauthId"]?.string == "ada-1")
            let events = immich.base.lines.audit.filter { $0["event"]?.string == "sign-in" }
            #expect(events.last?["provider"]?.string == "google")
        }
    }

    @Test(
        "IM-7 only the redirects that browsers and providers need are allowed",
        arguments: [
            ("app.immich:///oauth-callback", 201), ("app.immich:/oauth-callback", 201),
            ("immich://oauth-callback", 201),
            ("app.immich://oauth-callback", 400), ("app.immich:///oauth-callback/x", 400),
            ("https://evil.example/", 400),
            ("", 400), ("javascript:alert(1)", 400),
        ])
    func checksRedirect(_ redirect: String, _ status: Int) async throws {
        try await with { _, immich in
            let response = try await immich.send("POST", "/oauth/authorize", nil, App(redirect: redirect).authorization)
            #expect(response.status == status)
        }
    }

    @Test("IM-7 the server's own address redirects to the app with the same query")
    func redirectsToApp() async throws {
        try await with(["google"]) {
            $0.publicURL = "https://photos.example.org"
        } _: { _, immich in
            let own = App(redirect: "https://photos.example.org/immich/api/oauth/mobile-redirect")
            #expect(try await immich.send("POST", "/oauth/authorize", nil, own.authorization).status == 201)
            let response = try await immich.send("GET", "/oauth/mobile-redirect?code=a%20b&state=c")
            #expect(response.status == 307)
            #expect(response.headers["Location"] == "app.immich:///oauth-callback?code=a%20b&state=c")
            // The head of a response is limited to 8,192 bytes.
            for length in [3_072, 3_073, 8_000, 8_060, 8_100] {
                let query = String(repeating: "a", count: length)
                let long = try await immich.send("GET", "/oauth/mobile-redirect?" + query)
                #expect(long.status == (length > 3_072 ? 414 : 307), "\(length)")
            }
        }
    }

    @Test("IM-7 a client without a state and a verifier gets both in cookies")
    func keepsCookies() async throws {
        try await with { fixture, immich in
            let started = try await immich.send(
                "POST", "/oauth/authorize", nil, ["redirectUri": .string(Self.redirect)])
            let cookies = ["immich_oauth_state", "immich_oauth_code_verifier"].compactMap { name in
                started.cookies[name].map { "\(name)=\($0.prefix { $0 != ";" })" }
            }
            #expect(cookies.count == 2)
            let link = try await browse(try path(started), fixture)
            let response = try await immich.send(
                "POST", "/oauth/callback", nil, ["url": .string(link)],
                headers: [("Cookie", cookies.joined(separator: "; "))])
            #expect(response.status == 201)
            #expect(response.cookies["immich_oauth_state"]?.contains("Max-Age=0") == true)
        }
    }

    @Test("The session in a client's cookie ends when the client signs in again through a provider")
    func replaces() async throws {
        try await with { fixture, immich in
            let former = try #require(try await signIn(App(), fixture, immich).json?["accessToken"]?.string)
            let app = App()
            let link = try await link(app, fixture, immich)
            let response = try await immich.send(
                "POST", "/oauth/callback", nil, app.callback(link),
                headers: [("Cookie", "immich_access_token=\(former)")])
            #expect(response.status == 201)
            #expect(try await immich.send("GET", "/users/me", former).status == 401)
            let token = try #require(response.json?["accessToken"]?.string)
            #expect(try await immich.send("GET", "/users/me", token).status == 200)
        }
    }

    @Test(
        "IM-7 a code from before a sign-out everywhere is refused", arguments: ["all", "password"], [true, false])
    func signedOutMeanwhile(_ action: String, _ isLinked: Bool) async throws {
        try await with { fixture, immich in
            if isLinked { #expect(try await signIn(App(), fixture, immich).status == 201) }
            let app = App()
            let link = try await link(app, fixture, immich)
            let (stores, person) = (immich.base.gateway.stores, try await immich.person())
            fixture.base.clock.advance(1)
            if action == "all" {
                try await stores.sessions.revokeAll(of: person.id)
            } else {
                try await stores.people.setPassword(Secret("another horse 8"), of: person.id)
            }
            fixture.base.clock.advance(1)
            #expect(try await immich.send("POST", "/oauth/callback", nil, app.callback(link)).status == 400)
            let event = immich.base.lines.audit.last { $0["event"]?.string == "sign-in-failed" }
            #expect(event?["reason"]?.string == "signed-out")
            #expect(try await signIn(App(), fixture, immich).status == 201)
        }
    }

    @Test("IM-7 by the specification the address is requested with a query, and the state is in the link")
    func acceptsSpecifiedForm() async throws {
        try await with { fixture, immich in
            let app = App()
            let query = FormURLEncoded.encode([
                ("code_challenge", app.verifier.challenge.text), ("code_challenge_method", "S256"),
                ("state", app.state.text),
            ])
            let started = try await immich.send("GET", "/oauth/authorize?" + query)
            #expect(started.status == 200)
            let link = try await browse(try path(started), fixture)
            #expect(link.hasPrefix("immich://oauth-callback?code="))
            let response = try await immich.send(
                "POST", "/oauth/callback", nil, ["url": .string(link), "codeVerifier": .string(app.secret)])
            #expect(response.status == 201)
            let plain = try await immich.send("GET", "/oauth/authorize?\(query)&code_challenge_method=plain")
            #expect(plain.status == 400)
        }
    }

    @Test("IM-7 a missing or wrong state or verifier is refused")
    func refuses() async throws {
        try await with { fixture, immich in
            let app = App()
            func refusal(_ body: JSONValue) async throws -> String? {
                let response = try await immich.send("POST", "/oauth/callback", nil, body)
                #expect(response.status == 400)
                return response.refusal
            }
            let link = JSONValue.string(try await link(app, fixture, immich))
            let (state, verifier) = (JSONValue.string(app.state.text), JSONValue.string(app.secret))
            #expect(try await refusal(["url": link, "codeVerifier": verifier]) == "OAuth state is missing")
            #expect(try await refusal(["url": link, "state": state]) == "OAuth code verifier is missing")
            #expect(try await refusal(["url": "", "state": state, "codeVerifier": verifier]) == "Validation failed")
            let failed = "OAuth authentication failed"
            #expect(try await refusal(["url": link, "state": "another", "codeVerifier": verifier]) == failed)
            let other = JSONValue.string(PKCE.Verifier().secret.reveal())
            #expect(try await refusal(["url": link, "state": state, "codeVerifier": other]) == failed)
            // The wrong verifier burnt the code.
            #expect(try await refusal(["url": link, "state": state, "codeVerifier": verifier]) == failed)
        }
    }

    @Test("IM-7 a code is valid once and for a minute")
    func codeIsSingleUse() async throws {
        try await with { fixture, immich in
            let app = App()
            let link = try await link(app, fixture, immich)
            #expect(try await immich.send("POST", "/oauth/callback", nil, app.callback(link)).status == 201)
            #expect(try await immich.send("POST", "/oauth/callback", nil, app.callback(link)).status == 400)
            let late = try await self.link(app, fixture, immich)
            // With a shared store of codes, another minute is allowed for the clock of another gateway.
            fixture.base.clock.advance(TestDatabase.isServer ? 121 : 61)
            #expect(try await immich.send("POST", "/oauth/callback", nil, app.callback(late)).status == 400)
        }
    }

    @Test("IM-7 another dialect refuses a code of this dialect, and the other way round")
    func refusesOtherDialectsCode() async throws {
        try await with { fixture, immich in
            let app = App()
            let link = try await link(app, fixture, immich)
            let code = try FormURLEncoded.decode(String(link.split(separator: "?")[1]))["code"]
            #expect(try await fixture.exchange(code, app.verifier).status == 401)
            let onyx = AppSignIn()
            let fields = try await fixture.deepLink(onyx)
            let url = "\(Self.redirect)?code=\(fields["code"] ?? "")&state=s"
            let body: JSONValue = [
                "url": .string(url), "state": "s", "codeVerifier": .string(onyx.verifier.secret.reveal()),
            ]
            #expect(try await immich.send("POST", "/oauth/callback", nil, body).status == 400)
        }
    }

    @Test("IM-7 one address can redeem at most sixty codes a minute")
    func boundsExchanges() async throws {
        try await with { _, immich in
            let body: JSONValue = ["url": "a:?code=x&state=s", "state": "s", "codeVerifier": "v"]
            for _ in 0..<60 { _ = try await immich.send("POST", "/oauth/callback", nil, body) }
            let response = try await immich.send("POST", "/oauth/callback", nil, body)
            #expect(response.status == 429)
            #expect(response.headers["Retry-After"] == "1")
        }
    }

    @Test("IM-7 an unadmitted person gets no session")
    func refusesUnadmittedPerson() async throws {
        try await with { fixture, immich in
            let app = App()
            let account = SmallProvider.Account(subject: "eve-1", email: "eve@example.org")
            let link = try await link(app, fixture, immich, as: account)
            let response = try await immich.send("POST", "/oauth/callback", nil, app.callback(link))
            #expect(response.status == 400)
            #expect(response.refusal == "OAuth authentication failed")
            #expect(immich.base.lines.audit.contains { $0["reason"]?.string == "not-invited" })
        }
    }

    @Test("IM-7 without a configured provider every route says so")
    func withoutProvider() async throws {
        try await ImmichFixture.with { fixture in
            let token = try await fixture.token()
            for path in ["authorize", "callback", "link", "unlink", "backchannel-logout"] {
                let response = try await fixture.send("POST", "/oauth/\(path)", token, [:])
                #expect(response.status == 400)
                #expect(response.refusal == "OAuth is not enabled")
            }
        }
    }

    @Test(
        "IM-7 sign-ins through providers are limited for each address",
        arguments: [
            ("POST", "authorize"), ("GET", "authorize"), ("POST", "callback"), ("POST", "link"), ("POST", "unlink"),
            ("GET", "start"),
        ])
    func limits(_ method: String, _ path: String) async throws {
        try await with(["google"], { $0.requestRates.address = .perMinute(3) }) { _, immich in
            for _ in 0..<3 { #expect(try await immich.send(method, "/oauth/\(path)").status != 429) }
            let refused = try await immich.send(method, "/oauth/\(path)")
            #expect(refused.status == 429)
            #expect(refused.headers["Retry-After"] == "20")
            let page = try await immich.send(method, "/oauth/\(path)", headers: [("Accept", "text/html")])
            #expect(page.status == 429)
            #expect(page.text.contains("Too many sign-ins"))
        }
    }

    @Test("IM-7 of several providers the person chooses one on a page")
    func offersProviderChoice() async throws {
        try await with(["google", "house"]) { fixture, immich in
            let app = App()
            let start = try await immich.send("POST", "/oauth/authorize", nil, app.authorization)
            let page = try await fixture.base.http.send("GET", try path(start))
            #expect(page.status == 200)
            #expect(page.text.contains("Sign in with google") && page.text.contains("Sign in with house"))
            #expect(page.headers["Content-Security-Policy"]?.contains("default-src 'none'") == true)

            let link = try await browse(try path(start) + "&provider=house", fixture, at: "house")
            #expect(try await immich.send("POST", "/oauth/callback", nil, app.callback(link)).status == 201)
        }
    }

    @Test("a forged start address does not redirect to another host")
    func startIsNoOpenRedirect() async throws {
        try await with { fixture, _ in
            let challenge = PKCE.Verifier().challenge.text
            for query in [
                "redirect_uri=https://evil.example/&state=s&code_challenge=\(challenge)",
                "redirect_uri=app.immich:///oauth-callback&state=s&code_challenge=short",
                "redirect_uri=app.immich:///oauth-callback&code_challenge=\(challenge)",
                "redirect_uri=app.immich:///oauth-callback&state=s&code_challenge=\(challenge)&provider=none",
            ] {
                let response = try await fixture.base.http.send("GET", "/immich/api/oauth/start?" + query)
                #expect(response.status == 400)
                #expect(response.headers["Location"] == nil)
            }
        }
    }

    @Test("an identity is linked to the person who just signed in, and not to another person later")
    func links() async throws {
        try await with { fixture, immich in
            let account = SmallProvider.Account(subject: "ada-at-work", email: "ada@work.example")
            let app = App()
            let token = try await immich.token()
            let first = try await link(app, fixture, immich, as: account)

            let response = try await immich.send("POST", "/oauth/link", token, app.callback(first))

            #expect(response.status == 200)
            #expect(response.json?["oauthId"]?.string == "ada-at-work")
            let second = try await link(app, fixture, immich, as: account)
            #expect(try await immich.send("POST", "/oauth/callback", nil, app.callback(second)).status == 201)
            let third = try await link(app, fixture, immich, as: account)
            let conflict = try await immich.send("POST", "/oauth/link", token, app.callback(third))
            #expect(conflict.refusal == "This OAuth account has already been linked to another user.")

            let unlinked = try await immich.send("POST", "/oauth/unlink", token)
            #expect(unlinked.json?["oauthId"]?.string == "")
            fixture.base.clock.advance(16 * minute)
            let late = try await link(app, fixture, immich, as: account)
            let refused = try await immich.send("POST", "/oauth/link", token, app.callback(late))
            #expect(refused.refusal?.hasPrefix("Sign in again") == true)
            let child = try await immich.send("POST", "/sessions", token, [:])
            let screen = try (child.json?["token"]?.string).orThrow
            let fresh = try await immich.send("POST", "/oauth/link", screen, app.callback(late))
            #expect(fresh.refusal?.hasPrefix("Sign in again") == true)
        }
    }

    @Test("a session that has just ended neither links nor unlinks an identity", arguments: SessionEnding.ofPerson)
    func endedMeanwhile(_ ending: SessionEnding) async throws {
        try await with { fixture, immich in
            let account = SmallProvider.Account(subject: "mal-1", email: "mal@example.org")
            let (app, token, ada) = (App(), try await immich.token(), try await immich.person())
            let people = immich.base.gateway.stores.people
            for isLinked in [false, true] {
                let body = app.callback(try await link(app, fixture, immich, as: account))
                let path = isLinked ? "/oauth/unlink" : "/oauth/link"
                try await ending.during(token, of: ada.id, in: immich.base.gateway.stores) { () async throws in
                    #expect(try await immich.send("POST", path, token, body).status == 401)
                    #expect(try await people.identities(of: ada.id).isEmpty == !isLinked)
                }
                let again = app.callback(try await link(app, fixture, immich, as: account))
                #expect(try await immich.send("POST", path, token, again).status == 200)
                #expect(try await people.identities(of: ada.id).isEmpty == isLinked)
            }
        }
    }

    @Test("IM-11 a browser that signed in through the provider gets the address to sign out there")
    func signsOutAtTheProvider() async throws {
        try await with { fixture, immich in
            let token = try (try await signIn(App(), fixture, immich).json?["accessToken"]?.string).orThrow
            let cookie = ("Cookie", "immich_access_token=\(token); immich_auth_type=oauth")
            let response = try await immich.send("POST", "/auth/logout", nil, headers: [cookie])
            #expect(response.json?["redirectUri"]?.string == "\(try fixture.google.issuer)/sign-out?client_id=gateway")
        }
    }
}
