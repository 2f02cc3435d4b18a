import Crypto
import HTTPMessages
import OAuth
import TestSupport
import Testing

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayHTTP
@testable import LatchGateway

/// Where browsers go for a client that registered itself.
@Suite("Unverified clients", .timeLimit(.minutes(20)))
struct UnverifiedClientTests {
    private static let redirect = "https://self.example.org/callback"
    private static let signOutRedirect = "https://self.example.org/goodbye"

    /// A gateway with such a client, and the parameters of a valid request of it.
    private static func with(_ body: (OAuthFixture, [(String, String)]) async throws -> Void) async throws {
        try await OAuthFixture.with { fixture in
            let client = RegisteredClient(
                id: "self", name: "Self-made", secretHash: nil, redirects: [redirect, "com.example.self:/callback"],
                allowsDevice: true,
                registration: ClientRegistration(tokenHash: SHA256.digest("token"), method: .none),
                signOut: ClientSignOutSettings(redirects: [signOutRedirect]))
            let clients = fixture.gateway.gateway.stores.clients
            try await clients.register(client, from: AddressKey(nil), maximum: 100)
            try await body(
                fixture,
                OAuthFixture.replacing(fixture.parameters, [("client_id", "self"), ("redirect_uri", redirect)]))
        }
    }

    @Test("RFC 9700 §4.11.2 an error leads to the client only from a page that calls it unverified")
    func errors() async throws {
        try await Self.with { fixture, parameters in
            let wrong: [(String, String?, String)] = [
                ("prompt", "none", "login_required"), ("response_type", "token", "unsupported_response_type"),
                ("code_challenge", nil, "invalid_request"), ("resource", "https://evil.example", "invalid_target"),
                ("request_uri", "https://evil.example", "request_uri_not_supported"),
                ("prompt", "none", "consent_required"),
            ]
            for (name, value, error) in wrong {
                if error == "consent_required" { _ = try await fixture.browser.signIn() }
                let page = try await fixture.open(OAuthFixture.replacing(parameters, [(name, value)]))
                #expect(page.status == 400 && page.next == nil, "\(error)")
                #expect(page.text.contains("This app is unverified.") && page.text.contains("Self-made"))
                #expect(page.text.contains("Continue to self.example.org") && !page.text.contains("<script"))
                #expect(page.text.contains("href=\"\(Self.redirect)?error=\(error)&amp;"), "\(error)")
                #expect(page.text.contains("state=the%20state") && page.text.contains("&amp;iss="))
            }
            let app = OAuthFixture.replacing(
                parameters, [("redirect_uri", "com.example.self:/callback"), ("prompt", "none")])
            #expect(try await fixture.open(app).text.contains("Continue to an app on this device (com.example.self)"))
            let posted = try await fixture.open(
                OAuthFixture.replacing(parameters, [("response_mode", "form_post"), ("prompt", "none")]))
            #expect(posted.status == 400 && !posted.text.contains("<script"), "nothing submits the form")
            let form = try #require(PageBrowser.form(Self.redirect, in: posted.text))
            #expect(PageBrowser.hiddenFields(of: form).contains { $0 == ("error", "consent_required") })
            let policy = try #require(posted.headers["Content-Security-Policy"])
            #expect(!policy.contains("form-action"), "the client may redirect to any server")

            let denied = try await fixture.decide(try await fixture.open(parameters), "deny")
            #expect(denied.status == 200)
            #expect(try OAuthFixture.fields(of: denied)["error"] == "access_denied", "the person has decided")
            let allowed = try await fixture.decide(try await fixture.open(parameters))
            #expect(try OAuthFixture.fields(of: allowed)["code"] != nil)
        }
    }

    @Test("a client that changes its name after the person saw the page is allowed only by another decision")
    func changedName() async throws {
        try await Self.with { fixture, parameters in
            _ = try await fixture.browser.signIn()
            let clients = fixture.gateway.gateway.stores.clients
            let page = try await fixture.open(parameters)
            #expect(page.text.contains("Allow Self-made?"))
            try await Self.rename("Your Bank", fixture)

            let again = try await fixture.decide(page)
            #expect(again.status == 200 && again.text.contains("Allow Your Bank?"))
            let person = try await fixture.gateway.gateway.stores.people.require(GatewayFixture.email).id
            #expect(try await clients.allowed(by: person).isEmpty)

            let response = try await fixture.decide(again)
            #expect(try OAuthFixture.fields(of: response)["code"] != nil)
            #expect(try await clients.allowed(by: person).map(\.name) == ["Your Bank"])
        }
    }

    @Test("the same is true for a device")
    func changedNameOfDevice() async throws {
        try await Self.with { fixture, _ in
            let clients = fixture.gateway.gateway.stores.clients
            let codes = try await fixture.codes([("client_id", "self")])
            func decide(_ page: Exchange.Response) async throws -> Exchange.Response {
                let form = try #require(PageBrowser.form(OAuthFixture.devicePage, in: page.text))
                return try await fixture.browser.post(
                    OAuthFixture.devicePage, PageBrowser.hiddenFields(of: form) + [("decision", "allow")])
            }
            let page = try await fixture.enter(codes.userCode)
            #expect(page.text.contains("Allow Self-made?"))
            try await Self.rename("Your Bank", fixture)

            let again = try await decide(page)
            #expect(again.text.contains("Allow Your Bank?"))
            #expect(try await fixture.pollError(codes, [("client_id", "self")]) == "authorization_pending")
            let person = try await fixture.gateway.gateway.stores.people.require(GatewayFixture.email).id
            #expect(try await clients.allowed(by: person).isEmpty)

            #expect(try await decide(again).text.contains("You allowed Your Bank"))
            #expect(try await clients.allowed(by: person).map(\.name) == ["Your Bank"])
        }
    }

    /// Has the client change its name.
    private static func rename(_ name: String, _ fixture: OAuthFixture) async throws {
        let clients = fixture.gateway.gateway.stores.clients
        let before = try #require(try await clients.client("self"))
        let client = RegisteredClient(
            id: before.id, name: name, secretHash: nil, redirects: before.redirects,
            allowsDevice: before.allowsDevice, registration: before.registration, signOut: before.signOut)
        #expect(try await clients.update(client, requiresApproval: false)?.name == name)
    }

    @Test("RFC 9700 §4.11.2 a sign-out without a question leads to the client only from a page")
    func signOut() async throws {
        try await Self.with { fixture, parameters in
            func end(_ fields: [(String, String)]) async throws -> Exchange.Response {
                let redirect = ("post_logout_redirect_uri", Self.signOutRedirect)
                return try await fixture.browser.get(
                    "/oauth2/end_session?" + FormURLEncoded.encode(fields + [redirect, ("state", "s")]))
            }
            func check(_ page: Exchange.Response) {
                #expect(page.status == 200 && page.next == nil)
                #expect(page.text.contains("You are signed out") && page.text.contains("This app is unverified."))
                #expect(page.text.contains("href=\"\(Self.signOutRedirect)?state=s\""))
            }
            check(try await end([("client_id", "self")]))
            let code = try #require(try await fixture.respond(to: parameters)["code"])
            let tokens = try OAuthTokens(
                try await fixture.exchange(code, client: "self", redirect: Self.redirect))
            let question = try await end([("id_token_hint", try #require(tokens.id))])
            #expect(try await fixture.browser.get("/latch/account").status == 200, "still signed in")
            let form = PageBrowser.hiddenFields(
                of: try PageBrowser.form("/oauth2/end_session", in: question.text).orThrow)
            let done = try await fixture.browser.post("/oauth2/end_session", form + [("decision", "sign-out")])
            #expect(done.status == 200 && done.next == Self.signOutRedirect + "?state=s")
        }
    }
}
