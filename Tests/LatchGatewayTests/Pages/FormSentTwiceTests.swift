import Crypto
import FoundationEssentials
import HTTPMessages
import OAuth
import Primitives
import TestSupport
import Testing

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayHTTP
@testable import LatchGateway

/// What a person sees after a double click on each form that is good for one time, and in a second tab.
@Suite("Pages with forms that are sent twice", .timeLimit(.minutes(20))) struct FormSentTwiceTests {
    /// Posts the form at `path` of a page as a browser does after a double click: the second copy has the same cookies.
    /// Returns the response to the second one.
    private func postTwice(
        _ path: String, _ page: Exchange.Response, _ typed: [(String, String)], in person: PageBrowser
    ) async throws -> Exchange.Response {
        let form = try PageBrowser.form(path, in: page.text).orThrow
        let fields = PageBrowser.hiddenFields(of: form) + typed
        let cookies = person.browser.cookies
        let first = try await person.post(path, fields)
        #expect(first.status < 400)
        let after = person.browser.cookies
        person.browser.cookies = cookies
        let second = try await person.post(path, fields)
        #expect(second.text == first.text && second.status == first.status && second.next == first.next)
        #expect(person.browser.cookies == after, "the second response has the cookies of the first")

        // Somebody with the page, but with another browser, gets nothing of it.
        let other = person.another
        other.browser.cookies = ["latchd_session": Base64URL.encode(SecureRandom.bytes(32))]
        let stolen = try await other.post(path, fields)
        #expect(stolen.status == 403 || stolen.next?.hasPrefix("/latch/sign-in?done=") == true)
        #expect(other.browser.cookies["latchd_session"] != after["latchd_session"])
        // Neither does another site, with the browser's own cookies.
        person.browser.cookies = cookies
        let site = [("Sec-Fetch-Site", "cross-site")]
        #expect(try await person.post(path, fields, site: site).status == 403)
        person.browser.cookies = after
        return second
    }

    private static let typed = [("username", GatewayFixture.email), ("password", GatewayFixture.password)]

    @Test("a sign-in that is sent twice makes one session")
    func signIn() async throws {
        try await GatewayFixture.withPages { fixture in
            let person = PageBrowser(fixture)
            let page = try await person.get("/latch/sign-in?return=%2Fphotos")
            let second = try await postTwice("/latch/sign-in", page, Self.typed, in: person)
            #expect(second.next == "/photos")
            #expect(try await fixture.gateway.stores.sessions.liveCount() == 1)
            #expect(try await person.get("/latch/account").status == 200)
        }
    }

    @Test("a wrong password that is sent again counts again")
    func wrongPassword() async throws {
        try await GatewayFixture.withPages({ $0.accountLimit.attempts = 2 }) { fixture in
            let person = PageBrowser(fixture)
            let page = try await person.get("/latch/sign-in")
            let form = try #require(PageBrowser.form("/latch/sign-in", in: page.text))
            let fields =
                PageBrowser.hiddenFields(of: form) + [("username", GatewayFixture.email), ("password", "wrong 7")]
            for status in [403, 403, 429] {
                #expect(try await person.post("/latch/sign-in", fields).status == status)
            }
        }
    }

    @Test("a change of the password that is sent twice leaves the person signed in, with the new password")
    func password() async throws {
        try await GatewayFixture.withPages { fixture in
            let person = PageBrowser(fixture)
            _ = try await person.signIn()
            let page = try await person.get("/latch/account")
            let new = "another horse and no battery 1937"
            let second = try await postTwice(
                "/latch/account/password", page,
                [("current", GatewayFixture.password), ("new", new), ("repeated", new)], in: person)
            #expect(second.headers["Location"] == "/latch/account?done=password")
            #expect(try await person.get("/latch/account").status == 200)
            #expect(try await fixture.gateway.stores.sessions.liveCount() == 1)
        }
    }

    @Test("a sign-out that is sent twice ends at the page that says so")
    func signOut() async throws {
        try await GatewayFixture.withPages { fixture in
            let person = PageBrowser(fixture)
            _ = try await person.signIn()
            let page = try await person.get("/latch/account")
            let second = try await postTwice("/latch/sign-out", page, [], in: person)
            #expect(second.headers["Location"] == "/latch/sign-in?done=out")
            #expect(try await fixture.gateway.stores.sessions.liveCount() == 0)
        }
    }

    @Test(
        "a consent that is sent twice brings one code to the client, which is good for one exchange",
        arguments: [
            "query", "form_post",
        ])
    func consent(_ mode: String) async throws {
        try await OAuthFixture.with { fixture in
            _ = try await fixture.browser.signIn()
            let page = try await fixture.open(fixture.webParameters + [("response_mode", mode)])
            let second = try await postTwice(
                "/oauth2/authorize", page, [("decision", "allow")], in: fixture.browser)
            let code: String
            if mode == "query" {
                code = try #require(try OAuthFixture.fields(of: second)["code"])
            } else {
                code = try #require(PageBrowser.hiddenFields(of: second.text).first { $0.0 == "code" }?.1)
            }
            let client: [(String, String?)] = [("client_secret", OAuthFixture.secret)]
            func exchange() async throws -> Int {
                try await fixture.exchange(
                    code, client: "web", redirect: OAuthFixture.webRedirect, client
                ).status
            }
            #expect(try await exchange() == 200)
            #expect(try await exchange() == 400)
        }
    }

    @Test("a request of a client is good for one decision: another one, or a later one, has no effect")
    func otherDecision() async throws {
        try await OAuthFixture.with { fixture in
            _ = try await fixture.browser.signIn()
            let page = try await fixture.open(fixture.webParameters)
            #expect(try await fixture.decide(page).next?.contains("code=") == true)
            #expect(try await fixture.decide(page, "deny").status == 400)
            #expect(try await fixture.decide(page).status == 400)

            let later = try await fixture.open(fixture.webParameters + [("prompt", "consent")])
            #expect(try await fixture.decide(later).next?.contains("code=") == true)
            fixture.gateway.clock.advance(SentForms.lifetime.seconds)
            #expect(try await fixture.decide(later).status == 400)
        }
    }

    @Test("a device that is allowed twice is allowed")
    func device() async throws {
        try await OAuthFixture.withDevices { fixture in
            let codes = try await fixture.codes()
            let page = try await fixture.enter(codes.userCode)
            let second = try await postTwice(
                OAuthFixture.devicePage, page, [("decision", "allow")], in: fixture.browser)
            #expect(second.status == 200 && second.text.contains("You allowed Example TV"))
            #expect(try await fixture.poll(codes).status == 200)
        }
    }

    @Test("a sign-out for a client that is sent twice returns to the client, also without the cookie")
    func clientSignOut() async throws {
        let redirect = "https://web.example.org/signed-out"
        try await OAuthFixture.with({ $0.setSignOut(ClientSignOutSettings(redirects: [redirect])) }) { fixture in
            let person = fixture.browser
            _ = try await person.signIn()
            let query = FormURLEncoded.encode([("client_id", "web"), ("post_logout_redirect_uri", redirect)])
            let page = try await person.get("/oauth2/end_session?" + query)
            let second = try await postTwice("/oauth2/end_session", page, [("decision", "sign-out")], in: person)
            #expect(second.next == redirect)
            #expect(person.browser.cookies["latchd_session"] == nil)
            let form = try #require(PageBrowser.form("/oauth2/end_session", in: page.text))
            let fields = PageBrowser.hiddenFields(of: form) + [("decision", "sign-out")]
            #expect(try await person.post("/oauth2/end_session", fields).next == redirect)
        }
    }

    @Test("a form of a page that another tab has used up the cookie of leads on, also later")
    func secondTab() async throws {
        try await GatewayFixture.withPages { fixture in
            let person = PageBrowser(fixture)
            _ = try await person.get("/latch/sign-in")
            let page = try await person.get("/latch/sign-in?return=%2Fphotos")
            _ = try await person.signIn()
            let token = person.browser.cookies["latchd_session"]
            fixture.clock.advance(60)
            let form = try #require(PageBrowser.form("/latch/sign-in", in: page.text))
            let hidden = PageBrowser.hiddenFields(of: form)

            let response = try await person.post("/latch/sign-in", hidden + Self.typed)
            #expect(response.status == 200 && response.next == "/photos")
            #expect(person.browser.cookies["latchd_session"] == token, "the person is signed in already")

            let other = try await person.post(
                "/latch/sign-in", hidden + [("username", "grace@example.org"), ("password", "hers 77")])
            #expect(
                other.status == 403 && other.text.contains("You are signed in")
                    && other.text.contains(GatewayFixture.email))
            let site = [("Sec-Fetch-Site", "cross-site")]
            #expect(try await person.post("/latch/sign-in", hidden + Self.typed, site: site).status == 403)

            let reloaded = try await person.get("/latch/sign-in?return=%2Fphotos")
            #expect(reloaded.status == 200 && reloaded.text.contains("href=\"/photos\">Continue"))
        }
    }

    @Test("a confirmation in a second tab leads on after the first one, and not if the sign-in is old")
    func secondConfirmation() async throws {
        try await GatewayFixture.withPages { fixture in
            let person = PageBrowser(fixture)
            _ = try await person.signIn()
            let page = try await person.get("/latch/sign-in?again=1&return=%2Flatch%2Faccount")
            _ = try await person.submit(
                "/latch/sign-in", on: "/latch/sign-in?again=1", [("password", GatewayFixture.password)])
            let form = try #require(PageBrowser.form("/latch/sign-in", in: page.text))
            let fields = PageBrowser.hiddenFields(of: form) + [("password", GatewayFixture.password)]
            #expect(try await person.post("/latch/sign-in", fields).next == "/latch/account")
            fixture.clock.advance(601)
            #expect(try await person.post("/latch/sign-in", fields).status == 403)
        }
    }

    @Test("a callback of a provider that comes twice leads on, and makes one session", arguments: [true, false])
    func callback(_ hasCookie: Bool) async throws {
        try await BridgeFixture.with { fixture in
            try await fixture.base.addPerson()
            let browser = fixture.browser()
            let query = FormURLEncoded.encode([("redirect", "true"), ("next", "/photos")])
            let start = try await browser.send("GET", "/api/auth/oauth/authorize?\(query)")
            let request = try fixture.google.request(start.headers["Location"]).orThrow
            let cookies = browser.cookies
            let first = try await fixture.returnToGateway(try fixture.google.approve(request), in: browser)
            #expect(first.next == "/photos")
            let signedIn = browser.cookies
            if hasCookie { browser.cookies = cookies } else { fixture.base.clock.advance(60) }

            // After a double click the provider makes another code.
            let second = try await fixture.returnToGateway(try fixture.google.approve(request), in: browser)
            #expect(second.next == "/photos")
            #expect(browser.cookies == signedIn)
            #expect(try await fixture.base.gateway.stores.sessions.liveCount() == 1)

            let other = fixture.browser()
            let stolen = try await fixture.returnToGateway(try fixture.google.approve(request), in: other)
            #expect(stolen.status == 400 && other.cookies.isEmpty)
        }
    }

    @Test("a callback of a sign-in that the browser has not completed leads nowhere, also while a person is signed in")
    func foreignCallback() async throws {
        try await BridgeFixture.with(["google"], { $0.pages.isEnabled = true }) { fixture in
            try await fixture.base.addPerson()
            let person = PageBrowser(fixture.base)
            _ = try await person.signIn()
            fixture.base.clock.advance(1)
            let query = FormURLEncoded.encode([("redirect", "true"), ("next", "/photos")])
            let start = try await fixture.browser().send("GET", "/api/auth/oauth/authorize?\(query)")
            let request = try fixture.google.request(start.headers["Location"]).orThrow
            let response = try await fixture.returnToGateway(
                try fixture.google.approve(request), in: person.browser)
            #expect(response.status == 400 && response.next == nil)
        }
    }
}
