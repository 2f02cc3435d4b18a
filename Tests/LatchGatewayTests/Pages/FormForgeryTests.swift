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

/// Every form of every page, found in the router: one that is added later is tried too.
@Suite(.timeLimit(.minutes(20))) struct FormForgeryTests {
    /// What another site, or another session, can make of a form.
    enum Forgery: CaseIterable {
        case noToken, emptyToken, anotherSessionsToken, tokenFromBeforeTheSignIn, anotherSite, sibling, otherOrigin,
            nullOrigin, noOrigin, typedAddress
    }

    private static func paths(_ fixture: GatewayFixture, person: Person, session: String) -> [String] {
        fixture.gateway.router.routes.filter { $0.method == .post && $0.pattern.hasPrefix("/latch/") }.map { route in
            route.pattern
                .replacing("people/{}", with: "people/\(person.id.uuidString.lowercased())")
                .replacing("{}", with: session)
        }.sorted()
    }

    @Test("a form from another site, or without this session's token, is refused", arguments: Forgery.allCases)
    func forged(_ forgery: Forgery) async throws {
        try await GatewayFixture.withPages({
            $0.immich.isEnabled = true
            $0.authorizationServer.isEnabled = true
        }) { fixture in
            let stores = fixture.gateway.stores
            _ = try await stores.people.add(
                email: "root@example.org", isAdministrator: true, password: Secret("root's own 77"))
            let ada = try await stores.people.require(GatewayFixture.email)
            let phone = try await fixture.token()
            let id = try #require(try await stores.sessions.list().first?.id.rawValue)
            let root = PageBrowser(fixture)
            let early = try await root.token(on: "/latch/sign-in")
            _ = try await root.signIn("root@example.org", "root's own 77")
            let own = try await root.token(on: "/latch/account")
            let other = PageBrowser(fixture)
            _ = try await other.signIn()
            let otherSessionsToken = try await other.token(on: "/latch/account")
            let before = try await stores.people.list()
            let paths = Self.paths(fixture, person: ada, session: id)
            #expect(paths.count >= 10)

            for path in paths {
                let token: String? =
                    switch forgery {
                    case .noToken: nil
                    case .emptyToken: ""
                    case .anotherSessionsToken: otherSessionsToken
                    case .tokenFromBeforeTheSignIn: early
                    default: own
                    }
                let fields = [
                    ("username", GatewayFixture.email), ("password", GatewayFixture.password), ("action", "disable"),
                    ("email", "new@example.org"), ("current", "root's own 77"), ("new", "taken over 77"),
                    ("repeated", "taken over 77"), ("pin", "123456"), ("repeated_pin", "123456"),
                ]
                let response = try await root.post(
                    path, fields + (token.map { [(FormTokens.field, $0)] } ?? []), site: Self.site(forgery))
                #expect(response.status == 403, "\(path)")
                #expect(!response.headers.values("Set-Cookie").contains { $0.contains("latchd_session") }, "\(path)")
            }

            #expect(try await stores.people.list() == before)
            #expect(try await fixture.me(phone).status == 200)
            #expect(try await root.get("/latch/account").status == 200)
            #expect(try await stores.sessions.liveCount() == 3)
        }
    }

    private static func site(_ forgery: Forgery) -> [(String, String)] {
        switch forgery {
        case .anotherSite: [("Sec-Fetch-Site", "cross-site"), ("Origin", "https://evil.example")]
        case .sibling: [("Sec-Fetch-Site", "same-site"), ("Origin", "http://127.0.0.1:1")]
        case .otherOrigin: [("Origin", "https://evil.example")]
        case .nullOrigin: [("Origin", "null")]
        case .noOrigin: []
        case .typedAddress: [("Sec-Fetch-Site", "none")]
        default: [("Sec-Fetch-Site", "same-origin")]
        }
    }

    @Test("a GET request to a form's address changes nothing")
    func byGet() async throws {
        try await GatewayFixture.withPages({ $0.immich.isEnabled = true }) { fixture in
            let ada = try await fixture.gateway.stores.people.require(GatewayFixture.email)
            let phone = try await fixture.token()
            let id = try #require(try await fixture.gateway.stores.sessions.list().first?.id.rawValue)
            let browser = PageBrowser(fixture)
            _ = try await browser.signIn()
            let token = try await browser.token(on: "/latch/account")

            for path in Self.paths(fixture, person: ada, session: id) {
                let response = try await browser.get("\(path)?action=disable&\(FormTokens.field)=\(token)")
                #expect([200, 303, 403].contains(response.status), "\(path): \(response.status)")
            }

            #expect(try await fixture.me(phone).status == 200)
            #expect(try await browser.get("/latch/account").status == 200)
        }
    }

    @Test("every page and form redirects a person who is not signed in")
    func notSignedIn() async throws {
        try await GatewayFixture.withPages({ $0.immich.isEnabled = true }) { fixture in
            let ada = try await fixture.gateway.stores.people.require(GatewayFixture.email)
            for path in Self.paths(fixture, person: ada, session: "abc") where path != "/latch/sign-in" {
                let response = try await PageBrowser(fixture).post(
                    path, [(FormTokens.field, "x"), ("action", "disable")])
                let query = path == "/latch/sign-out" ? "done=out" : "done=ended&return=%2Flatch%2Faccount"
                #expect(response.next == "/latch/sign-in?" + query, "\(path)")
            }
            for path in ["account", "admin", "admin/sessions", "admin/providers", "admin/failures"] {
                let response = try await PageBrowser(fixture).get("/latch/\(path)")
                #expect(response.status == 303 && !response.text.contains("@"), "\(path)")
            }
        }
    }
}
