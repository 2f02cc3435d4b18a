import FoundationEssentials
import HTTPMessages
import JOSE
import OAuth
import TestSupport
import Testing

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayHTTP
@testable import LatchGateway

/// Sign-outs that clients ask for, and sign-outs that clients are told.
@Suite("Sign-out of clients", .timeLimit(.minutes(20)))
struct ClientSignOutTests {
    private static let redirect = "https://web.example.org/goodbye"

    /// A gateway whose confidential client takes part in sign-outs.
    private static func with(address: String? = nil, _ body: (OAuthFixture) async throws -> Void) async throws {
        let signOut = ClientSignOutSettings(redirects: [redirect, "http://127.0.0.1/bye"], address: address)
        try await OAuthFixture.with({ $0.setSignOut(signOut) }, body)
    }

    private static func tokens(_ fixture: OAuthFixture, scope: String = "openid") async throws -> OAuthTokens {
        let request = OAuthFixture.replacing(fixture.webParameters, [("scope", scope)])
        let code = try await fixture.respond(to: request)["code"].orThrow
        return try OAuthTokens(
            try await fixture.exchange(
                code, redirect: OAuthFixture.webRedirect,
                [("client_id", "web"), ("client_secret", OAuthFixture.secret)]))
    }

    private static func endSession(
        _ fixture: OAuthFixture, _ fields: [(String, String)]
    ) async throws -> Exchange.Response {
        try await fixture.browser.get("/oauth2/end_session?" + FormURLEncoded.encode(fields))
    }

    private static func isSignedIn(_ fixture: OAuthFixture) async throws -> Bool {
        try await fixture.browser.get("/latch/account").status == 200
    }

    @Test("OpenID Connect RP-Initiated Logout §2 with the person's ID token the browser is signed out and returns")
    func withHint() async throws {
        try await Self.with { fixture in
            let hint = try #require(try await Self.tokens(fixture).id)
            let fields = [("id_token_hint", hint), ("post_logout_redirect_uri", Self.redirect), ("state", "a b&c")]
            let response = try await Self.endSession(fixture, fields)
            #expect(response.status == 302)
            #expect(response.next == Self.redirect + "?state=a%20b%26c")
            #expect(try await !Self.isSignedIn(fixture))
            // Without a session nothing is left to do.
            #expect(try await Self.endSession(fixture, fields).status == 302)
            let plain = try await Self.endSession(fixture, [])
            #expect(plain.status == 303 && plain.next == "/latch/sign-in?done=out")
        }
    }

    @Test(
        "OpenID Connect RP-Initiated Logout §2 the token of another browser or of an ended session signs nobody out unasked"
    )
    func otherSession() async throws {
        try await Self.with { fixture in
            let hint = try #require(try await Self.tokens(fixture).id)
            let cookies = fixture.browser.browser.cookies
            fixture.browser.browser.cookies = [:]
            _ = try await fixture.browser.signIn()
            let fields = [("id_token_hint", hint), ("post_logout_redirect_uri", Self.redirect)]
            #expect(try await Self.endSession(fixture, fields).text.contains("Sign out?"))
            #expect(try await Self.isSignedIn(fixture))

            fixture.browser.browser.cookies = cookies
            let ada = try #require(try await fixture.gateway.gateway.stores.people.find(GatewayFixture.email))
            _ = try await fixture.gateway.gateway.stores.clients.withdraw(
                "web", asking: Session(now: ada, fixture.gateway.clock.now))
            #expect(try await Self.endSession(fixture, fields).text.contains("Sign out?"))
            #expect(try await Self.isSignedIn(fixture))
        }
    }

    @Test("OpenID Connect RP-Initiated Logout §2 without it, or with that of somebody else, the person is asked")
    func withoutHint() async throws {
        try await Self.with { fixture in
            let hint = try #require(try await Self.tokens(fixture).id)
            _ = try await fixture.gateway.addPerson("eve@example.org")
            fixture.browser.browser.cookies = [:]
            _ = try await fixture.browser.signIn("eve@example.org")
            let requests = [
                [("client_id", "web"), ("post_logout_redirect_uri", Self.redirect), ("state", "<s>")],
                [("id_token_hint", hint), ("post_logout_redirect_uri", Self.redirect)], [("client_id", "app")], [],
                [("id_token_hint", "nonsense"), ("logout_hint", "x"), ("ui_locales", "de")],
            ]
            for fields in requests {
                let page = try await Self.endSession(fixture, fields)
                #expect(page.status == 200 && page.text.contains("Sign out?"), "\(fields)")
            }
            #expect(try await Self.isSignedIn(fixture))
            let escaped = try await Self.endSession(fixture, requests[0])
            #expect(escaped.text.contains("Example Web") && !escaped.text.contains("<s>"))
            let page = try await Self.endSession(
                fixture, OAuthFixture.replacing(requests[0], [("state", "the state")]))
            let form = PageBrowser.hiddenFields(of: try PageBrowser.form("/oauth2/end_session", in: page.text).orThrow)
            let names = ["client_id", "post_logout_redirect_uri", "state"]
            let forged = form.filter { names.contains($0.0) } + [("decision", "sign-out")]
            _ = try await fixture.browser.post("/oauth2/end_session", forged)
            #expect(try await Self.isSignedIn(fixture), "a form without the page's token signs nobody out")
            let done = try await fixture.browser.post("/oauth2/end_session", form + [("decision", "sign-out")])
            #expect(done.status == 200 && done.next == Self.redirect + "?state=the%20state")
            #expect(try await !Self.isSignedIn(fixture))
            let posted = try await fixture.post("end_session", requests[0])
            #expect(posted.status == 200)
            #expect(posted.next?.hasPrefix("/oauth2/end_session?post_logout_redirect_uri=") == true)
            let hinted = try await fixture.post("end_session", [("id_token_hint", hint)])
            #expect(hinted.next == "/oauth2/end_session?client_id=web", "no token in an address")
        }
    }

    @Test("OpenID Connect RP-Initiated Logout §3 an address that is not exactly registered is not followed")
    func redirects() async throws {
        try await Self.with { fixture in
            let hint = try #require(try await Self.tokens(fixture).id)
            let other = try #require(try await fixture.tokens().id)
            for address in [
                "https://web.example.org/goodbye/", "https://web.example.org/goodbye?x=y", "https://web.example.org/",
                "https://WEB.example.org/goodbye", "http://web.example.org/goodbye", "https://evil.example/goodbye",
                "//web.example.org/goodbye", "javascript:alert(1)", "", OAuthFixture.webRedirect,
                "http://127.0.0.1:81/bye",
                Self.redirect + "#x", Self.redirect + "%00", " " + Self.redirect,
            ] {
                for known in [[("id_token_hint", hint)], [("client_id", "web")]] {
                    let page = try await Self.endSession(fixture, known + [("post_logout_redirect_uri", address)])
                    #expect(page.status == 400 && page.next == nil, "\(address)")
                }
            }
            let redirect = ("post_logout_redirect_uri", Self.redirect)
            for fields in [
                [redirect], [("id_token_hint", other), redirect], [("client_id", "app"), redirect],
                [("id_token_hint", other), ("client_id", "web"), redirect], [("client_id", "nobody")],
                [("id_token_hint", hint), ("client_id", "app")], [("client_id", "web"), ("client_id", "web")],
                [("id_token_hint", hint), redirect, redirect],
                [("id_token_hint", hint), ("state", "a"), ("state", "b")],
                [("client_id", "web"), ("state", String(repeating: "s", count: 1_025))],
            ] {
                let page = try await Self.endSession(fixture, fields)
                #expect(page.status == 400 && page.next == nil, "\(fields.map(\.0))")
            }
            #expect(try await Self.isSignedIn(fixture))
        }
    }

    private static func withClient(_ body: (OAuthFixture, SignOutReceiver) async throws -> Void) async throws {
        try await SignOutReceiver.with { client, address in
            try await with(address: address) { try await body($0, client) }
        }
    }

    @Test("OpenID Connect Back-Channel Logout §2.4 a client that is removed is told that its sessions ended")
    func removed() async throws {
        try await Self.withClient { fixture, client in
            let gateway = fixture.gateway.gateway
            let ada = try await gateway.stores.people.require(GatewayFixture.email)
            let address = try #require(try await gateway.stores.clients.client("web")?.signOut.address)
            let added = try await gateway.stores.clients.add(
                name: "Added", redirects: ["a:/b"], isConfidential: false,
                signOut: ClientSignOutSettings(address: address)
            ).client
            for isTold in [true, false] {
                _ = try await gateway.services.clientSessions?.issue(
                    ClientGrant(client: added.id, scopes: []), to: added, for: ada,
                    device: SessionDevice(name: "Added"),
                    id: .random(), authenticated: fixture.gateway.clock.now, from: nil, isTold: isTold)
            }
            #expect(try await gateway.stores.clients.remove(added.id) == 2)
            await gateway.tellClients()
            let received = client.take()
            #expect(received.count == 1)
            let signature = try JSONWebSignature(parsing: try #require(received.first))
            #expect(try JSONValue(parsing: signature.payload)["aud"] == .string(added.id))
            await gateway.tellClients()
            #expect(client.take().isEmpty)
        }
    }

    @Test("OpenID Connect Back-Channel Logout §2.4 a client is told once when its session ends, in any way")
    func told() async throws {
        try await Self.withClient { fixture, client in
            let gateway = fixture.gateway.gateway
            let person = try #require(try await gateway.stores.people.find(GatewayFixture.email))
            let ends: [(String, (OAuthTokens) async throws -> Void)] = [
                ("all sessions", { _ in _ = try await gateway.stores.sessions.revokeAll(of: person.id) }),
                (
                    "the browser's session",
                    { _ in _ = try await fixture.browser.submit("/latch/sign-out", on: "/latch/account") }
                ),
                (
                    "the client's own session",
                    { tokens in
                        let fields = [
                            ("client_id", "web"), ("client_secret", OAuthFixture.secret), ("token", tokens.refresh),
                        ]
                        _ = try await fixture.post("revoke", fields)
                    }
                ),
                (
                    "the access",
                    { _ in
                        let asking = Session(now: person, fixture.gateway.clock.now)
                        _ = try await gateway.stores.clients.withdraw("web", asking: asking)
                    }
                ),
                ("the access of everybody", { _ in _ = try await gateway.stores.clients.endAccess(of: "web") }),
            ]
            for (name, end) in ends {
                fixture.browser.browser.cookies = [:]
                let tokens = try await Self.tokens(fixture)
                await gateway.tellClients()
                #expect(client.take().isEmpty, "\(name)")
                try await end(tokens)
                await gateway.tellClients()
                let received = client.take()
                #expect(received.count == 1, "\(name)")
                let signature = try JSONWebSignature(parsing: try #require(received.first))
                let claims = try JSONValue(parsing: signature.payload)
                let id = try JSONValue(parsing: JSONWebSignature(parsing: try #require(tokens.id)).payload)
                #expect(signature.header.type == "logout+jwt")
                #expect(claims["iss"] == id["iss"] && claims["aud"] == "web" && claims["nonce"] == nil)
                #expect(claims["sub"] == id["sub"] && claims["sid"] == id["sid"] && claims["jti"]?.string != nil)
                #expect(claims["events"]?["http://schemas.openid.net/event/backchannel-logout"] == [:])
                let set = try await fixture.gateway.http.send("GET", "/oauth2/jwks").json?["keys"]?.array
                let isSigned = try (set ?? []).contains { signature.isValid(by: try JSONWebKey(parsing: $0)) }
                #expect(isSigned)
                fixture.gateway.clock.advance(3_600)
                await gateway.tellClients()
                #expect(client.take().isEmpty, "\(name) is told once")
                _ = try await gateway.stores.sessions.revokeAll(of: person.id)
                await gateway.tellClients()
                _ = client.take()
            }
        }
    }

    @Test("a client that refuses is told again a few times, redirects are not followed, and others are not told")
    func repeated() async throws {
        try await Self.withClient { fixture, client in
            let gateway = fixture.gateway.gateway
            let person = try #require(try await gateway.stores.people.find(GatewayFixture.email))
            for status in [HTTPStatus.serviceUnavailable, .found, .badRequest] {
                client.respond(with: status)
                fixture.browser.browser.cookies = [:]
                _ = try await Self.tokens(fixture)
                _ = try await fixture.tokens()
                _ = try await gateway.stores.sessions.revokeAll(of: person.id)
                var count = 0
                for _ in 0..<10 {
                    await gateway.tellClients()
                    let received = client.take()
                    #expect(!received.contains("nothing"), "a redirect was followed")
                    count += received.count
                    fixture.gateway.clock.advance(600)
                }
                #expect(count == ClientSignOutStore.maximumAttempts, "\(status)")
            }
            #expect(!fixture.gateway.lines.text.contains("eyJ"), "no token is logged")
        }
    }

    @Test("a client that never answers delays no notice to another client, and gets at most two at a time")
    func silent() async throws {
        try await SignOutReceiver.with { good, address in
            try await SilentReceiver.with { silent, silentAddress in
                try await OAuthFixture.with { settings in
                    settings.setSignOut(ClientSignOutSettings(redirects: [], address: address))
                    settings.authorizationServer.clients.append(
                        RegisteredClient(
                            id: "silent", name: "Silent", secretHash: nil, redirects: [],
                            signOut: ClientSignOutSettings(redirects: [], address: silentAddress)))
                } _: { fixture in
                    let gateway = fixture.gateway.gateway
                    let ada = try await gateway.stores.people.require(GatewayFixture.email)
                    for name in ["silent", "web"] {
                        let client = try #require(try await gateway.stores.clients.client(name))
                        for _ in 0..<40 {
                            _ = try await gateway.services.clientSessions?.issue(
                                ClientGrant(client: name, scopes: []), to: client, for: ada,
                                device: SessionDevice(name: name), id: .random(),
                                authenticated: fixture.gateway.clock.now, from: nil, isTold: true)
                        }
                    }
                    #expect(try await gateway.stores.sessions.revokeAll(of: ada.id).sessions == 80)
                    let telling = Task { await gateway.tellClients() }
                    var told = 0
                    for await _ in good.arrivals {
                        told += 1
                        if told == 40 { break }
                    }
                    #expect(silent.count <= 2, "The others wait for the answers.")
                    silent.release()
                    await telling.cancellableValue
                }
            }
        }
    }
}
