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

/// Clients that register themselves and wait for an administrator.
@Suite("Approval of registrations", .timeLimit(.minutes(20)))
struct ClientApprovalTests {
    private static func with(
        _ change: (inout RegistrationSettings) -> Void = { _ in }, _ body: (OAuthFixture) async throws -> Void
    ) async throws {
        try await OAuthFixture.with({ settings in
            settings.authorizationServer.registration.isEnabled = true
            settings.authorizationServer.registration.requiresApproval = true
            change(&settings.authorizationServer.registration)
        }) { fixture in
            _ = try await fixture.browser.signIn()
            try await body(fixture)
        }
    }

    private static func send(
        _ fixture: OAuthFixture, _ members: [JSONValue.Member], _ method: String = "POST", _ path: String = "",
        _ headers: [(String, String)] = []
    ) async throws -> Exchange.Response {
        let metadata: [JSONValue.Member] = [
            .init("redirect_uris", [.string(OAuthFixture.webRedirect)]), .init("client_name", "Self-made"),
            .init("token_endpoint_auth_method", "none"),
            .init("grant_types", ["authorization_code", .string(OAuthFixture.deviceGrant)]),
        ]
        let names = members.map(\.name)
        let all = JSONValue.object(metadata.filter { !names.contains($0.name) } + members)
        return try await fixture.gateway.http.send(
            method, "/oauth2/register" + path, headers: headers + [("Content-Type", JSON.mediaType)],
            body: String(decoding: all.encoded(), as: UTF8.self))
    }

    @Test("RFC 7591 §3.2.1 a registration is answered as usual, and nobody signs in before it is approved")
    func waits() async throws {
        try await Self.with { fixture in
            let registered = try await Self.send(fixture, [])
            let id = try #require(registered.json?["client_id"]?.string)
            let token = GatewayFixture.bearer(
                try #require(registered.json?["registration_access_token"]?.string))
            #expect(registered.status == 201)
            let parameters = OAuthFixture.replacing(fixture.webParameters, [("client_id", id)])
            let waiting = try await fixture.open(parameters)
            #expect(waiting.status == 403)
            #expect(waiting.text.contains("Self-made waits for approval by an administrator"))
            #expect(waiting.text.contains("error=access_denied"))
            // Somebody else continues with the same request.
            let form = try #require(PageBrowser.form("/latch/sign-out", in: waiting.text))
            let back = try #require(PageBrowser.hiddenFields(of: form).first { $0.0 == "return" }?.1)
            #expect(try await fixture.browser.get(back).text.contains("Self-made waits for approval"))
            let code = try await fixture.codes([("client_id", id)])
            #expect(try await fixture.enter(code.userCode).text.contains("waits for approval"))
            #expect(try await fixture.pollError(code, [("client_id", id)]) == "access_denied")

            let clients = fixture.gateway.gateway.stores.clients
            _ = try await clients.decide(id, .approved)
            let page = try await fixture.open(parameters)
            #expect(page.status == 200 && !page.text.contains("This app is unverified."))
            let fields = try OAuthFixture.fields(of: try await fixture.decide(page))
            let tokens = try OAuthTokens(
                try await fixture.exchange(
                    try #require(fields["code"]), client: id, redirect: OAuthFixture.webRedirect))

            // Another name or address must be approved again.
            let changes: [JSONValue.Member] = [.init("client_id", .string(id)), .init("client_name", "Our wiki")]
            let renamed = try await Self.send(fixture, changes, "PUT", "/" + id, token)
            #expect(renamed.status == 200 && renamed.json?["client_name"] == "Our wiki")
            #expect(try await fixture.open(parameters).text.contains("Our wiki waits for approval"))
            #expect(try await fixture.refresh(tokens.refresh, client: id).json?["error"] == "invalid_grant")

            _ = try await clients.decide(id, .refused)
            let refused = try await fixture.open(parameters)
            #expect(refused.status == 403 && refused.text.contains("Our wiki was refused by an administrator"))
        }
    }

    @Test("without approval, clients work at once, and those that wait go on waiting")
    func withoutApproval() async throws {
        try await Self.with({ $0.requiresApproval = false }) { fixture in
            let id = try #require(try await Self.send(fixture, []).json?["client_id"]?.string)
            let parameters = OAuthFixture.replacing(fixture.webParameters, [("client_id", id)])
            #expect(try await fixture.open(parameters).status == 200)
        }
    }

    @Test("RFC 9126 §6 metadata require pushed requests, which only an administrator can undo")
    func pushed() async throws {
        try await Self.with({ $0.requiresApproval = false }) { fixture in
            let name = "require_pushed_authorization_requests"
            #expect(try await Self.send(fixture, [.init(name, "yes")]).json?["error"] == "invalid_client_metadata")
            let registered = try await Self.send(fixture, [.init(name, true)])
            #expect(registered.json?[name] == true)
            let id = try #require(registered.json?["client_id"]?.string)
            let token = GatewayFixture.bearer(
                try #require(registered.json?["registration_access_token"]?.string))
            let parameters = OAuthFixture.replacing(fixture.webParameters, [("client_id", id)])
            let refused = try await fixture.open(parameters)
            #expect(refused.status == 400 && refused.text.contains("/oauth2/par"))
            let changes: [JSONValue.Member] = [.init("client_id", .string(id)), .init(name, false)]
            #expect(try await Self.send(fixture, changes, "PUT", "/" + id, token).json?[name] == true)

            // The registration shows what an administrator decided.
            try await fixture.gateway.gateway.stores.clients.set(id) { settings in
                settings = ClientSettings()
                settings.scopes = ["openid", "email"]
                settings.issuesRefreshTokens = false
            }
            let shown = try await fixture.gateway.http.send("GET", "/oauth2/register/" + id, headers: token)
            #expect(shown.json?[name] == nil && shown.json?["scope"] == "openid email")
            #expect(shown.json?["grant_types"] == ["authorization_code", .string(OAuthFixture.deviceGrant)])
        }
    }

    @Test("clients register only addresses on the allowed hosts and with the allowed schemes")
    func hosts() async throws {
        let allowed = ["wiki.example.org", "*.tools.example.org", "localhost", "com.example.app:*", "[::1]:8080"]
        try await Self.with({ $0.redirects = allowed.compactMap(RegistrationRedirect.init) }) { fixture in
            #expect(fixture.gateway.gateway.stores.settings.authorizationServer.registration.redirects.count == 5)
            let cases: [(String, Bool)] = [
                ("https://wiki.example.org/back", true), ("https://wiki.example.org:8443/back", true),
                ("https://a.tools.example.org/", true), ("http://localhost/back", true),
                ("com.example.app:/back", true), ("http://[::1]:8080/back", true),
                ("https://tools.example.org/", false), ("https://wiki.example.org.evil.example/", false),
                ("https://evil.example/wiki.example.org", false), ("http://127.0.0.1/back", false),
                ("com.example.app.evil:/back", false), ("com.example.other:/back", false),
                ("http://[::1]:8081/back", false), ("https://evil.example/?https://wiki.example.org", false),
            ]
            for (address, isAllowed) in cases {
                for name in ["redirect_uris", "post_logout_redirect_uris"] {
                    let other = name == "redirect_uris" ? "post_logout_redirect_uris" : "redirect_uris"
                    let answer = try await Self.send(
                        fixture,
                        [.init(other, ["https://wiki.example.org/back"]), .init(name, [.string(address)])])
                    #expect(answer.status == (isAllowed ? 201 : 400), "\(name) \(address)")
                    #expect(isAllowed || answer.json?["error"] == "invalid_redirect_uri")
                }
            }
        }
    }
}
