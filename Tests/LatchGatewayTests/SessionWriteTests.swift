import Crypto
import Database
import FoundationEssentials
import HTTPMessages
import HTTPServer
import OAuth
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

/// Forms of sessions that ended after the request was authenticated.
@Suite("Changes by sessions that have just ended", .timeLimit(.minutes(20)))
struct SessionWriteTests {
    /// A form, with its path below `/latch`.
    private typealias Form = (path: String, fields: [(String, String)])

    private static let signIn = "/latch/sign-in?done=ended&return=%2Flatch%2Faccount"

    /// The forms of the gateway below a path that are not among `forms`.
    private static func missing(from forms: [Form], below path: String, _ fixture: GatewayFixture) -> [String] {
        fixture.gateway.router.routes.filter { route in
            route.method == .post && route.pattern.hasPrefix("/latch" + path)
                && !forms.contains { route.matches("/latch" + $0.path) }
        }.map(\.pattern)
    }

    /// A gateway with every form of the pages, Ada, and the browser of an administrator.
    private static func with(
        _ body: (GatewayFixture, PageBrowser, Person) async throws -> Void
    ) async throws {
        try await GatewayFixture.withPages({ settings in
            settings.authorizationServer.isEnabled = true
            settings.authorizationServer.registration.isEnabled = true
            settings.immich.isEnabled = true
            settings.immich.prefix = "/immich/api"
            settings.requestRates.writes = .perMinute(10_000)
            settings.providers = [
                ProviderConfiguration(
                    id: "sso", kind: .oidc, title: "Sign in",
                    settings: ProviderSettings(issuer: "https://sso.example", clientID: "gateway"))
            ]
        }) { fixture in
            let root = try await fixture.gateway.stores.people.add(
                email: "root@example.org", isAdministrator: true, password: Secret("root's own 77"))
            let browser = PageBrowser(fixture)
            _ = try await browser.signIn("root@example.org", "root's own 77")
            try await body(fixture, browser, root)
        }
    }

    /// Sends a form after each ending, which must change nothing, and then with a live session, which must succeed.
    private static func check(
        _ form: Form, in browser: PageBrowser, of person: UUID, _ fixture: GatewayFixture,
        _ endings: [SessionEnding] = SessionEnding.ofPerson
    ) async throws {
        let stores = fixture.gateway.stores
        let session = try #require(browser.browser.cookies["latchd_session"])
        let fields = [(FormTokens.field, try await browser.token(on: "/latch/account"))] + form.fields
        for ending in endings {
            try await ending.during(session, of: person, in: stores) { () async throws in
                let before = try await stores.content()
                let response = try await browser.post("/latch" + form.path, fields)
                let after = try await stores.content()
                #expect(after == before, "\(form) \(ending)")
                if ending == .notAdministrator {
                    #expect(response.status == 403, "\(form)")
                } else {
                    #expect(response.status == 303 && response.next == Self.signIn, "\(form) \(ending)")
                }
            }
        }
        let before = try await stores.content()
        let response = try await browser.post("/latch" + form.path, fields)
        #expect(response.status == 303 && response.next?.contains("?done=") == true, "\(form)")
        let after = try await stores.content()
        #expect(after != before, "\(form)")
    }

    private static func register(_ id: String, _ fixture: GatewayFixture) async throws -> RegisteredClient {
        let client = RegisteredClient(
            id: id, name: id, secretHash: nil, redirects: ["a:/b"], created: fixture.clock.now,
            registration: ClientRegistration(tokenHash: SHA256.digest(id), method: .none, approval: .waiting))
        try await fixture.gateway.stores.clients.register(client, from: AddressKey(nil), maximum: 4_000)
        return client
    }

    @Test("no form of the administration has an effect after the session ended or the role was removed")
    func administration() async throws {
        try await Self.with { fixture, browser, root in
            let stores = fixture.gateway.stores
            let bob = try await fixture.addPerson("bob@example.org")
            _ = try await fixture.token()
            let ada = try await stores.people.require(GatewayFixture.email)
            let device = try #require(try await stores.sessions.ownSessions(of: ada.id).first).id
            let key = try await stores.apiKeys.create(for: ada, name: "k", scopes: ["app"], maximum: 9).listed.id
            try await stores.bans.add("198.51.100.0/24")
            let (first, _) = (try await Self.register("first", fixture), try await Self.register("second", fixture))
            _ = try await stores.clients.allow(ClientGrant(client: "first", scopes: ["openid"]), by: bob.id)
            let now = fixture.clock.now
            _ = try await stores.database.write {
                try $0.run(UnlinkedIdentityStatements.record, "sso", "https://sso.example", "bob-1", nil, nil, now)
            }
            let identity = try #require(try await stores.people.unlinkedIdentities(limit: 1).first).id
            let person = "/admin/people/\(bob.id.uuidString.lowercased())"
            func act(_ path: String, _ action: String) -> Form { (path, [("action", action), ("confirmed", "1")]) }
            let forms: [Form] = [
                ("/admin/people", [("email", "mal@example.org")]),
                act(person, "make"), act(person, "unmake"), act(person, "end"), act(person, "disable"),
                act(person, "enable"),
                ("/admin/sessions/\(device)/end", [("confirmed", "1")]),
                ("/admin/keys/\(key.uuidString.lowercased())/revoke", [("confirmed", "1")]),
                ("/admin/bans", [("network", "203.0.113.0/24"), ("duration", "day")]),
                ("/admin/bans/remove", [("network", "198.51.100.0/24")]),
                act("/admin/clients/first", "end"),
                (
                    "/admin/clients/first",
                    [("action", "approve"), ("confirmed", "1"), ("client_digest", first.identityDigest)]
                ),
                act("/admin/clients/first", "refuse"), act("/admin/clients/first", "remove"),
                act("/admin/clients", "remove-unverified"),
                ("/admin/identities/\(identity)", [("email", "bob@example.org")]),
            ]
            #expect(Self.missing(from: forms, below: "/admin", fixture) == [])
            for form in forms {
                try await Self.check(form, in: browser, of: root.id, fixture, SessionEnding.allCases)
            }
        }
    }

    @Test("no form of the account page has an effect after the session ended")
    func account() async throws {
        try await Self.with { fixture, browser, _ in
            let stores = fixture.gateway.stores
            let ada = try await stores.people.require(GatewayFixture.email)
            _ = try await fixture.token()
            let device = try #require(try await stores.sessions.ownSessions(of: ada.id).first).id
            _ = try await fixture.token()
            let key = try await stores.apiKeys.create(for: ada, name: "k", scopes: ["app"], maximum: 9).listed.id
            _ = try await Self.register("first", fixture)
            _ = try await stores.clients.allow(ClientGrant(client: "first", scopes: ["openid"]), by: ada.id)
            let own = browser.another
            _ = try await own.signIn()
            let forms: [Form] = [
                ("/account/devices/\(device)/end", []),
                ("/account/keys/\(key.uuidString.lowercased())/revoke", [("confirmed", "1")]),
                ("/account/apps/first/remove", []),
                ("/account/pin", [("pin", "1357"), ("repeated_pin", "1357")]),
                ("/account/pin", [("current_pin", "1357"), ("pin", "2468"), ("repeated_pin", "2468")]),
                ("/account/pin/remove", [("confirmed", "1")]),
                ("/account/devices/end-others", [("confirmed", "1")]),
                (
                    "/account/password",
                    [("current", GatewayFixture.password), ("new", "another horse 8"), ("repeated", "another horse 8")]
                ),
            ]
            #expect(Self.missing(from: forms, below: "/account", fixture) == [])
            for form in forms { try await Self.check(form, in: own, of: ada.id, fixture) }
        }
    }

    @Test("a client and a device are not allowed after the session ended", arguments: SessionEnding.ofPerson)
    func decisions(_ ending: SessionEnding) async throws {
        try await OAuthFixture.withDevices { fixture in
            let (stores, browser) = (fixture.gateway.gateway.stores, fixture.browser)
            _ = try await browser.signIn()
            let session = try #require(browser.browser.cookies["latchd_session"])
            let ada = try await stores.people.require(GatewayFixture.email)
            let consent = try await fixture.open(fixture.parameters)
            let codes = try await fixture.codes()
            let page = try await fixture.enter(codes.userCode)
            let form = try PageBrowser.form(OAuthFixture.devicePage, in: page.text).orThrow
            let fields = PageBrowser.hiddenFields(of: form) + [("decision", "allow")]
            try await ending.during(session, of: ada.id, in: stores) { () async throws in
                let before = try await stores.content()
                for response in [
                    try await fixture.decide(consent), try await browser.post(OAuthFixture.devicePage, fields),
                ] { #expect(response.status == 303 && response.next == Self.signIn) }
                let after = try await stores.content()
                #expect(after == before)
            }
            #expect(try await fixture.pollError(codes) == "authorization_pending")
            #expect(try await browser.post(OAuthFixture.devicePage, fields).status < 400)
            #expect(try await stores.clients.allowed(by: ada.id).count == 1)
        }
    }

    @Test("a person signs out although the session has just ended", arguments: SessionEnding.ofPerson)
    func signOut(_ ending: SessionEnding) async throws {
        try await GatewayFixture.withPages { fixture in
            let (stores, browser) = (fixture.gateway.stores, PageBrowser(fixture))
            _ = try await browser.signIn()
            let session = try #require(browser.browser.cookies["latchd_session"])
            let ada = try await stores.people.require(GatewayFixture.email)
            let token = try await browser.token(on: "/latch/account")
            try await ending.during(session, of: ada.id, in: stores) { () async throws in
                let response = try await browser.post("/latch/sign-out", [(FormTokens.field, token)])
                #expect(response.status == 303 && response.next == "/latch/sign-in?done=out")
            }
        }
    }
}
