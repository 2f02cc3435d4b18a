import Crypto
import Foundation
import HTTPMessages
import TestSupport
import Testing

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayHTTP
@testable import LatchGateway

@Suite(.timeLimit(.minutes(20))) struct SignInPageTests {
    @Test("a person signs in on the page and is redirected to the previous page; the cookie is new")
    func signsIn() async throws {
        try await GatewayFixture.withPages { fixture in
            let person = PageBrowser(fixture)

            let response = try await person.submit(
                "/latch/sign-in", on: "/latch/sign-in?return=%2Fphotos%3Fpage%3D2",
                [("username", GatewayFixture.email), ("password", GatewayFixture.password)])

            #expect(response.status == 200 && response.next == "/photos?page=2")
            #expect(response.headers["Cache-Control"] == "no-store")
            let set = response.headers.values("Set-Cookie").first { $0.hasPrefix("latchd_session=") }
            #expect(set?.contains("HttpOnly") == true && set?.contains("SameSite=Lax") == true)
            #expect(person.browser.cookies["latchd_form"] == nil)
            #expect(try await person.get("/latch/account").text.contains(GatewayFixture.email))
            #expect(try await person.get("/latch/sign-in").text.contains("You are signed in"))
        }
    }

    @Test(
        "the page says how long the browser stays signed in",
        arguments: [
            (7, 90, "for 7 days without use, and 90 days at most."), (30, 30, "for 30 days."), (1, 1, "for 1 day."),
        ])
    func duration(_ sliding: Int, _ maximum: Int, _ words: String) async throws {
        try await GatewayFixture.withPages({
            $0.sessions.sliding = .seconds(sliding * Int(day))
            $0.sessions.maximum = .seconds(maximum * Int(day))
        }) { fixture in
            let person = PageBrowser(fixture)
            #expect(try await person.get("/latch/sign-in").text.contains("This browser stays signed in \(words)"))
            _ = try await person.signIn()
            #expect(try await !person.get("/latch/sign-in?again=1").text.contains("stays signed in"))
        }
    }

    @Test("a second sign-in issues a new token and ends the previous session")
    func renewed() async throws {
        try await GatewayFixture.withPages { fixture in
            let person = PageBrowser(fixture)
            _ = try await person.signIn()
            let before = try #require(person.browser.cookies["latchd_session"])

            let page = "/latch/sign-in?again=1&return=%2Flatch%2Faccount"
            #expect(try await person.get(page).text.contains("Confirm that it is you"))
            let response = try await person.submit("/latch/sign-in", on: page, [("password", GatewayFixture.password)])

            #expect(response.status == 200 && response.next == "/latch/account")
            #expect(person.browser.cookies["latchd_session"] != before)
            #expect(try await fixture.me(before).status == 403)
            #expect(try await fixture.gateway.stores.sessions.liveCount() == 1)
        }
    }

    @Test("an unknown person, a wrong password and a disabled person get the same response")
    func noEnumeration() async throws {
        try await GatewayFixture.withPages { fixture in
            let dora = try await fixture.addPerson("dora@example.org", password: "dora's own 7")
            try await fixture.gateway.stores.people.disable(dora.id)
            var texts: Set<String> = []
            for (email, password) in [
                ("nobody@example.org", "whatever 77"), (GatewayFixture.email, "wrong one 77"),
                ("dora@example.org", "dora's own 7"),
            ] {
                let response = try await PageBrowser(fixture).signIn(email, password)
                #expect(response.status == 403)
                #expect(!response.headers.values("Set-Cookie").contains { $0.contains("latchd_session") })
                let page = response.text.replacing(email, with: "")
                texts.insert(page.replacing(try #require(page.firstMatch(of: /value="([\w-]{43})"/)?.1), with: ""))
            }
            #expect(texts.count == 1)
        }
    }

    @Test("after too many attempts the page shows the wait, and the correct password is not checked")
    func lockedOut() async throws {
        try await GatewayFixture.withPages({ $0.accountLimit.attempts = 2 }) { fixture in
            for _ in 0..<2 { _ = try await PageBrowser(fixture).signIn(GatewayFixture.email, "wrong one 77") }

            let response = try await PageBrowser(fixture).signIn()

            #expect(response.status == 429)
            #expect(Int(response.headers["Retry-After"] ?? "").map { $0 > 0 } == true)
            #expect(response.text.contains("Too many attempts") && response.text.contains("Try again in "))
        }
    }

    @Test(
        "the sign-in never redirects to another server",
        arguments: [
            "//evil.example", "https://evil.example/", "/\\evil.example", "javascript:alert(1)", "/%0d%0aX: y",
            "http:evil.example", "/a//b", " /a", "\t//evil.example", "https://evil.example@127.0.0.1/",
            "///evil.example",
            "https:///evil.example", "ftp://evil.example/", "evil.example",
        ])
    func openRedirect(_ address: String) async throws {
        try await GatewayFixture.withPages { fixture in
            let person = PageBrowser(fixture)
            let query = FormURLEncoded.encode([("return", address)])
            #expect(!(try await person.get("/latch/sign-in?\(query)").text.contains("evil")))

            let response = try await person.submit(
                "/latch/sign-in", on: "/latch/sign-in",
                [("username", GatewayFixture.email), ("password", GatewayFixture.password), ("return", address)])

            let location = try #require(response.next)
            #expect(location == "/latch/account")
            let on = try await person.get("/latch/sign-in/done?\(query)")
            #expect(on.next?.contains("evil") == false)
        }
    }

    @Test("a sign-in leads only to hosts of access rules")
    func redirectsToAllowedHost() async throws {
        let rule = AccessRule(
            name: "app", hosts: [try #require(AccessHostPattern("app.example.org"))], paths: [], methods: [],
            admission: .signedIn)
        let change: (inout GatewaySettings) -> Void = { settings in
            settings.verify.isEnabled = true
            settings.verify.rules = AccessRules([rule])
        }
        try await GatewayFixture.withPages(change) { fixture in
            let person = PageBrowser(fixture)
            for (address, isThere) in [("https://app.example.org/x?y=1", true), ("https://other.example.org/", false)] {
                let page = "/latch/sign-in?\(FormURLEncoded.encode([("return", address)]))"
                let response = try await person.submit(
                    "/latch/sign-in", on: page,
                    [("username", GatewayFixture.email), ("password", GatewayFixture.password)])
                #expect(response.next == (isThere ? address : "/latch/account"))
                #expect(response.headers["Referrer-Policy"] == "no-referrer")
                let on = try await person.get(page.replacing("sign-in?", with: "sign-in/done?"))
                #expect(on.next == (isThere ? address : "/latch/account"))
                _ = try await person.submit("/latch/sign-out", on: "/latch/account")
            }
        }
    }

    @Test("an empty field is reported beside it, and the typed e-mail address is kept")
    func empty() async throws {
        try await GatewayFixture.withPages { fixture in
            let response = try await PageBrowser(fixture).signIn("<ada>@example.org", "")

            #expect(response.status == 422)
            #expect(response.text.contains(#"aria-describedby="password-mistake""#))
            #expect(response.text.contains(#"id="password-mistake">Enter your password.<"#))
            #expect(response.text.contains(#"value="&lt;ada&gt;@example.org""#))
            #expect(!response.text.contains("<ada>"))
        }
    }

    @Test("each identity provider has a button that starts the gateway's sign-in with the return address")
    func providers() async throws {
        try await BridgeFixture.with(["google", "work"], { $0.pages.isEnabled = true }) { fixture in
            let person = PageBrowser(fixture.base)
            let text = try await person.get("/latch/sign-in?return=%2Fphotos").text
            let link = try #require(text.firstMatch(of: /href="([^"]*google\/authorize[^"]*)"/)?.1)

            let address = link.replacing("&amp;", with: "&")
            #expect(text.contains("Sign in with google") && text.contains("Sign in with work"))
            #expect(address.contains("next=%2Flatch%2Fsign-in%2Fdone%3Freturn%3D%252Fphotos"))
            let start = try await person.get(String(address))
            #expect(start.status == 302)
            #expect(start.next?.hasPrefix(try fixture.google.issuer) == true)
        }
    }

    @Test("without passwords there is no form, and a posted one is refused")
    func noPasswords() async throws {
        try await GatewayFixture.withPages({ $0.passwordsEnabled = false }) { fixture in
            let person = PageBrowser(fixture)
            let page = try await person.get("/latch/sign-in")
            #expect(!page.text.contains("<form") && page.text.contains("You cannot sign in"))

            let response = try await person.post(
                "/latch/sign-in", [("username", GatewayFixture.email), ("password", "x")])

            #expect(response.status == 403)
            #expect(try await fixture.gateway.stores.sessions.liveCount() == 0)
        }
    }

    @Test("every page loads nothing, runs no scripts, cannot be framed and is not cached")
    func headers() async throws {
        try await GatewayFixture.withPages { fixture in
            let person = PageBrowser(fixture)
            let before = try await person.get("/latch/sign-in")
            _ = try await person.signIn()
            for response in [before, try await person.get("/latch/account"), try await person.get("/latch/nowhere")] {
                let policy = try #require(response.headers["Content-Security-Policy"])
                let style = try #require(response.text.firstMatch(of: #/(?s)<style>(.*)</style>/#)?.1)
                let hash = Data(SHA256.digest(String(style)).bytes).base64EncodedString()
                #expect(policy.hasPrefix("default-src 'none'; style-src 'sha256-\(hash)'; form-action"))
                #expect(policy.hasSuffix("base-uri 'none'; frame-ancestors 'none'") && !policy.contains("unsafe"))
                #expect(
                    response.headers["X-Frame-Options"] == "DENY" && response.headers["Cache-Control"] == "no-store")
                #expect(response.headers["X-Content-Type-Options"] == "nosniff")
                #expect(["no-referrer", "same-origin"].contains(response.headers["Referrer-Policy"]))
                #expect(!response.text.contains("<script") && !response.text.contains(" style="))
            }
        }
    }

    @Test("a body that is larger than any form is refused")
    func largeBody() async throws {
        try await GatewayFixture.withPages { fixture in
            let response = try await PageBrowser(fixture).post(
                "/latch/sign-in", [("username", String(repeating: "a", count: 20_000))])

            #expect(response.status == 413)
        }
    }
}
