import Crypto
import FoundationEssentials
import HTTPMessages
import HTTPServer
import TestSupport
import Testing

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayDialects
@testable import GatewayHTTP
@testable import GatewayPages
@testable import LatchGateway

/// Ways on from a form that cannot be sent now, and from its address.
@Suite(.timeLimit(.minutes(20))) struct FormPageTests {
    private static let account = "/latch/account"

    @Test("the address of every form, which a browser shows for a question, opens a page")
    func addressOfForm() async throws {
        try await GatewayFixture.withPages({
            $0.immich.isEnabled = true
            $0.authorizationServer.isEnabled = true
        }) { fixture in
            let ada = try await fixture.gateway.stores.people.require(GatewayFixture.email)
            _ = try await fixture.gateway.stores.people.add(
                email: "root@example.org", isAdministrator: true, password: Secret("root's own 77"))
            let browser = PageBrowser(fixture)
            _ = try await browser.signIn("root@example.org", "root's own 77")
            let forms = fixture.gateway.router.routes.filter {
                $0.method == .post && $0.pattern.hasPrefix("/latch/") && !$0.pattern.contains("identities")
            }
            #expect(forms.count > 12)
            for pattern in forms.map(\.pattern) {
                let path = pattern.replacing("people/{}", with: "people/\(ada.id.uuidString.lowercased())")
                    .replacing("{}", with: "abc")
                let opened = try await browser.get(path)
                let page = if let next = opened.next { try await browser.get(next) } else { opened }
                #expect(page.status == 200, "\(path): \(page.status)")
            }
        }
    }

    @Test("a form that is sent after its session has ended says so, and the sign-in leads back to its page")
    func sessionEnded() async throws {
        try await GatewayFixture.withPages { fixture in
            _ = try await fixture.token()
            let person = PageBrowser(fixture)
            _ = try await person.signIn()
            let page = try await person.get(Self.account).text
            let form = try #require(PageBrowser.form(Self.account + "/devices/end-others", in: page))
            _ = try await person.submit("/latch/sign-out", on: Self.account)

            let late = try await person.post(
                Self.account + "/devices/end-others", PageBrowser.hiddenFields(of: form),
                site: [
                    ("Sec-Fetch-Site", "same-origin"), ("Referer", "http://127.0.0.1\(Self.account)?done=device"),
                ])
            let signIn = try #require(late.next)
            #expect(late.status == 303)
            let text = try await person.get(signIn).text
            #expect(text.contains("You were signed out after you had opened the page. Nothing was changed."))
            let back = try await person.submit(
                "/latch/sign-in", on: signIn,
                [("username", GatewayFixture.email), ("password", GatewayFixture.password)])
            #expect(back.text.contains("/latch/account?done=device"))

            let twice = try await person.another.post("/latch/sign-out", [(FormTokens.field, "x")])
            #expect(twice.next == "/latch/sign-in?done=out")
        }
    }

    @Test(
        "the page that asks a person to confirm who they are offers to leave it, and to be somebody else",
        arguments: [
            ("/latch/account?done=pin", "/latch/account?done=pin", "Cancel"),
            ("/latch/admin/bans", "/latch/admin/bans", "Cancel"),
            ("/latch/accounting", "/latch/account", "Go to your account"),
            ("/photos", "/latch/account", "Go to your account"),
            ("https://evil.example/", "/latch/account", "Go to your account"),
        ])
    func confirmation(_ destination: String, _ page: String, _ label: String) async throws {
        try await GatewayFixture.withPages { fixture in
            let person = PageBrowser(fixture)
            _ = try await person.signIn()
            let address = "/latch/sign-in?" + FormURLEncoded.encode([("return", destination), ("again", "1")])

            let text = try await person.get(address).text
            #expect(text.contains("href=\"\(page)\">\(label)</a>"), "\(text)")
            let left = try await person.submit("/latch/sign-out", on: address)
            #expect(left.next?.hasPrefix("/latch/sign-in?done=out") == true)
            #expect(try await person.get(Self.account).status == 303)
        }
    }
}
