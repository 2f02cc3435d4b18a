import Crypto
import FoundationEssentials
import HTTPMessages
import HTTPServer
import OpenIDConnect
import TestSupport
import Testing

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayDialects
@testable import GatewayHTTP
@testable import GatewayPages
@testable import LatchGateway
@testable import SignInBridge

private let app = "https://app.example.org/photos?album=1"
private let signOutRedirect = "https://web.example.org/out"

/// Every route that answers a browser's form, and where it leads. ``TestBrowser`` checks the redirects and the policy of
/// the pages, here and in all other tests.
@Suite(.timeLimit(.minutes(20))) struct FormResponseTests {
    /// A form that leads away from the pages.
    enum Case: String, CaseIterable {
        case signInForAnotherServer, signInForAPath, signInForAClient, passwordChange, allowedClient, allowedApp
        case refusedClient, postedRequest, postedMistake, signOut, postedSignOut, providerForAPage, providerForAnApp
        case providerRefusal

        /// The pattern of the route.
        var route: String {
            switch self {
            case .signInForAnotherServer, .signInForAPath, .signInForAClient: "/latch/sign-in"
            case .passwordChange: "/latch/account/password"
            case .allowedClient, .allowedApp, .refusedClient, .postedRequest, .postedMistake: "/oauth2/authorize"
            case .signOut, .postedSignOut: "/oauth2/end_session"
            case .providerForAPage, .providerForAnApp, .providerRefusal: BridgeFixture.callback
            }
        }

        /// What the address that the response leads to begins with.
        var next: String {
            switch self {
            case .signInForAnotherServer, .passwordChange: app
            case .signInForAPath: "/photos"
            case .signInForAClient, .postedRequest: "/oauth2/authorize?"
            case .allowedClient: OAuthFixture.webRedirect + "?code="
            case .allowedApp: OAuthFixture.appRedirect + "?code="
            case .refusedClient, .postedMistake: OAuthFixture.webRedirect + "?error="
            case .signOut: signOutRedirect + "?state=s"
            case .postedSignOut: "/oauth2/end_session?"
            case .providerForAPage: "/latch/sign-in/done?return="
            case .providerForAnApp: BridgeFixture.redirect + "?code="
            case .providerRefusal: BridgeFixture.redirect + "?error="
            }
        }
    }

    /// A gateway with every form, and Ada in a browser.
    struct Fixture: Sendable {
        let bridge: BridgeFixture
        let clients: OAuthFixture

        var browser: PageBrowser { clients.browser }

        /// Sends a form.
        func send(_ form: Case) async throws -> Exchange.Response {
            switch form {
            case .signInForAnotherServer: return try await signIn(returningTo: app)
            case .signInForAPath: return try await signIn(returningTo: "/photos")
            case .signInForAClient: return try await signInForAClient()
            case .passwordChange: return try await changePassword()
            case .allowedClient: return try await decide(clients.webParameters, "allow")
            case .allowedApp: return try await decide(clients.parameters, "allow")
            case .refusedClient: return try await decide(clients.webParameters, "deny")
            case .postedRequest: return try await post("authorize", clients.webParameters)
            case .postedMistake:
                return try await post(
                    "authorize", OAuthFixture.replacing(clients.webParameters, [("response_type", "token")]))
            case .signOut: return try await signOut()
            case .postedSignOut:
                return try await post(
                    "end_session", [("post_logout_redirect_uri", signOutRedirect), ("client_id", "site")])
            case .providerForAPage:
                let next = "/latch/sign-in/done?" + FormURLEncoded.encode([("return", app)])
                return try await callBack(FormURLEncoded.encode([("redirect", "true"), ("next", next)]))
            case .providerForAnApp: return try await callBack(AppSignIn().query())
            case .providerRefusal: return try await callBack(AppSignIn().query(), isRefused: true)
            }
        }

        /// Signs in for a client that the person allowed before.
        private func signInForAClient() async throws -> Exchange.Response {
            _ = try await clients.respond(to: clients.webParameters)
            browser.browser.cookies = [:]
            let page = try await clients.open(clients.webParameters).next.orThrow
            return try await browser.submit(
                "/latch/sign-in", on: page,
                [("username", GatewayFixture.email), ("password", GatewayFixture.password)])
        }

        private func changePassword() async throws -> Exchange.Response {
            let people = clients.gateway.gateway.stores.people
            try await people.setPassword(
                Secret(GatewayFixture.password), of: try await people.require(GatewayFixture.email).id,
                mustChange: true)
            _ = try await browser.signIn()
            return try await browser.submit(
                "/latch/account/password", on: "/latch/account/password?" + FormURLEncoded.encode([("return", app)]),
                [("current", GatewayFixture.password), ("new", "a better horse 8"), ("repeated", "a better horse 8")])
        }

        private func decide(_ parameters: [(String, String)], _ decision: String) async throws -> Exchange.Response {
            _ = try await browser.signIn()
            return try await clients.decide(try await clients.open(parameters), decision)
        }

        /// Posts a form of a client's page.
        private func post(_ endpoint: String, _ fields: [(String, String)]) async throws -> Exchange.Response {
            try await browser.post("/oauth2/" + endpoint, fields, site: [("Sec-Fetch-Site", "cross-site")])
        }

        private func signOut() async throws -> Exchange.Response {
            _ = try await browser.signIn()
            let query = FormURLEncoded.encode([
                ("client_id", "site"), ("post_logout_redirect_uri", signOutRedirect), ("state", "s"),
            ])
            return try await browser.submit(
                "/oauth2/end_session", on: "/oauth2/end_session?\(query)", [("decision", "sign-out")])
        }

        private func signIn(returningTo address: String) async throws -> Exchange.Response {
            try await browser.submit(
                "/latch/sign-in", on: "/latch/sign-in?" + FormURLEncoded.encode([("return", address)]),
                [("username", GatewayFixture.email), ("password", GatewayFixture.password)])
        }

        /// Begins a sign-in at the provider, and posts its answer.
        private func callBack(_ query: String, isRefused: Bool = false) async throws -> Exchange.Response {
            let start = try await browser.get("/api/auth/oauth/authorize?\(query)")
            let request = try bridge.google.request(start.next).orThrow
            let answer = try isRefused ? bridge.google.deny(request) : bridge.google.approve(request)
            return try await browser.post(BridgeFixture.callback, answer, site: [("Sec-Fetch-Site", "cross-site")])
        }
    }

    private static func with(_ body: (Fixture) async throws -> Void) async throws {
        try await BridgeFixture.with(
            ["google"],
            { settings in
                settings.pages.isEnabled = true
                settings.immich.isEnabled = true
                settings.providers[0].settings.responseMode = .formPost
                OAuthFixture.configure(&settings)
                settings.authorizationServer.registration.isEnabled = true
                settings.authorizationServer.clients.append(
                    RegisteredClient(
                        id: "site", name: "Example Site", secretHash: nil, redirects: [OAuthFixture.webRedirect],
                        signOut: ClientSignOutSettings(redirects: [signOutRedirect], address: nil)))
            }
        ) { bridge in
            try await bridge.base.addPerson()
            try await body(
                Fixture(
                    bridge: bridge, clients: OAuthFixture(gateway: bridge.base, browser: PageBrowser(bridge.base))))
        }
    }

    @Test("a form that leads to another server is answered by a page that continues there", arguments: Case.allCases)
    func continues(_ form: Case) async throws {
        try await Self.with { fixture in
            let response = try await fixture.send(form)
            #expect(response.status == 200 && response.headers["Location"] == nil, "\(response.text)")
            let next = try #require(response.next)
            #expect(next.hasPrefix(form.next), "\(next)")
            #expect(response.text.contains("href=\"\(next.replacing("&", with: "&amp;"))\""), "also by hand")
            #expect(response.headers["Referrer-Policy"] == "no-referrer")
            #expect(response.headers["Cache-Control"] == "no-store")
        }
    }

    @Test("every route that answers a form of a browser is tried, with fields that name another server")
    func everyRoute() async throws {
        try await Self.with { fixture in
            let stores = fixture.bridge.base.gateway.stores
            _ = try await stores.people.add(
                email: "root@example.org", isAdministrator: true, password: Secret("root's own 77"))
            let id = try await stores.people.require(GatewayFixture.email).id.uuidString.lowercased()
            let posts = fixture.bridge.base.gateway.router.routes.filter { $0.method == .post }.map(\.pattern)
            var tried: [String] = []
            for pattern in posts {
                let isPage = try await Self.respondsWithPage(pattern.replacing("{}", with: id), fixture.bridge.base)
                if isPage { tried.append(pattern) }
            }
            let known = Set(Case.allCases.map(\.route)).union(["/oauth2/device"])
            #expect(tried.allSatisfy { $0.hasPrefix("/latch/") || known.contains($0) }, "\(tried)")
            #expect(tried.count >= 15, "\(tried)")
        }
    }

    /// Posts fields to a route as an administrator. Returns whether the response is one for a browser.
    private static func respondsWithPage(_ path: String, _ fixture: GatewayFixture) async throws -> Bool {
        let root = PageBrowser(fixture)
        _ = try await root.signIn("root@example.org", "root's own 77")
        let token = try await root.token(on: "/latch/account")
        let fields = [
            (FormTokens.field, token), ("return", app), ("next", app), ("confirmed", "1"), ("action", "demote"),
            ("decision", "allow"), ("redirect_uri", app), ("post_logout_redirect_uri", app),
        ]
        let response = try await root.post(path, fields)
        return response.headers["Content-Security-Policy"] != nil || response.next != nil
    }
}
