import Crypto
import FoundationEssentials
import HTTPMessages
import HTTPServer
import OpenIDConnect
import TestSupport
import Testing

@testable import ForwardAuth
@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayHTTP
@testable import LatchGateway

/// Where a browser is redirected to, and the cookie that it gets.
@Suite("Browsers in forward authentication", .timeLimit(.minutes(20)))
struct VerifyPageTests: AsksForwardAuth {
    @Test("A person who must change their password is redirected to that page on the server's own host")
    func passwordChange() async throws {
        try await with { fixture in
            let person = try await fixture.gateway.stores.people.add(
                email: GatewayFixture.email, password: Secret(GatewayFixture.password), mustChange: true)
            let token = try await fixture.gateway.issuer.issue(for: person, device: SessionDevice()).token.reveal()
            let cookie = [("Cookie", "__Host-latchd_session=\(token)")]
            let response = try await ask(fixture, "/photos?a=b", Self.browser + cookie)
            #expect(response.status == 302)
            #expect(
                response.headers["Location"]
                    == "https://id.example.org/latch/account/password?return=https%3A%2F%2Fapp.example.org%2Fphotos%3Fa%3Db"
            )
            for (path, status) in [("/health", 200), ("/off/x", 403), ("/ada/x", 302)] {
                #expect(try await ask(fixture, path, Self.browser + cookie).status == status, "\(path)")
            }
            // On a public address the answer does not say who asks.
            #expect(try await ask(fixture, "/health", cookie).headers["X-Auth-User"] == nil)
        }
    }

    @Test("A browser is redirected to the sign-in with a return address, on the host that the cookie covers")
    func browser() async throws {
        try await with { fixture in
            let response = try await ask(fixture, "/photos?a=1&b=2", Self.browser)
            #expect(response.status == 302)
            #expect(
                response.headers["Location"]
                    == "https://app.example.org/latch/sign-in?return=%2Fphotos%3Fa%3D1%26b%3D2")
            let nginx = try await ask(fixture, query: "?proxy=nginx", Self.browser)
            #expect(nginx.status == 401)
            #expect(nginx.headers["Location"] == "https://app.example.org/latch/sign-in?return=%2Fphotos")
            #expect(nginx.headers["WWW-Authenticate"] != nil)
        }
        try await with(cookieDomain: "example.org") { fixture in
            let response = try await ask(fixture, "/photos?a", Self.browser)
            #expect(
                response.headers["Location"]
                    == "https://id.example.org/latch/sign-in?return=https%3A%2F%2Fapp.example.org%2Fphotos%3Fa")
            let long = try await ask(fixture, "/" + String(repeating: "a", count: 4000), Self.browser)
            #expect(
                long.headers["Location"]
                    == "https://id.example.org/latch/sign-in?return=https%3A%2F%2Fapp.example.org%2F")
        }
    }

    @Test("Scripts, apps and other methods get 401, whatever they accept")
    func nonBrowsers() async throws {
        try await with { (fixture: GatewayFixture) async throws in
            let rows: [[(String, String)]] = [
                [("Accept", "application/json")], [("Accept", "*/*")], [("Accept", "text/html;q=0")], [],
                Self.browser + [("X-Requested-With", "XMLHttpRequest")], Self.browser + [("Sec-Fetch-Mode", "cors")],
                Self.browser + [("Sec-Fetch-Dest", "iframe")], Self.browser + [("Authorization", "Basic eA==")],
            ]
            for row in rows { #expect(try await ask(fixture, "/photos", row).status == 401, "\(row)") }
            #expect(try await ask(fixture, method: "POST", Self.browser).status == 401)
            let page = Self.browser + [("Sec-Fetch-Mode", "navigate"), ("Sec-Fetch-Dest", "document")]
            #expect(try await ask(fixture, "/photos", page).status == 302)
        }
        try await with(pages: false) { (fixture: GatewayFixture) async throws in
            #expect(try await ask(fixture, "/photos", Self.browser).status == 401)
        }
    }

    @Test("A cookie for all hosts of a domain has the Domain attribute and the __Secure- prefix")
    func cookie() {
        let address = PublicAddress("https://id.example.org", isTLS: false)
        var settings = GatewaySettings(databasePath: nil)
        let own = SessionCookie(address, settings)
        settings.verify.cookieDomain = "example.org"
        let shared = SessionCookie(address, settings)
        #expect(shared.name == "__Secure-latchd_session")
        #expect(shared.set(Secret("x")).contains("; Domain=example.org;"))
        #expect(shared.end.contains("; Domain=example.org;"))
        let outside = shared.forOneHost
        #expect(outside.name == shared.name && !outside.set(Secret("x")).contains("Domain"))
        #expect(!outside.end.contains("Domain"))
        #expect(own.name == "__Host-latchd_session")
        #expect(!own.set(Secret("x")).contains("Domain"))
    }
}
