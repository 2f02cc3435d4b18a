import HTTPMessages
import TestSupport
import Testing

@testable import GatewayCore
@testable import LatchGateway

/// The modules of `oidcc-rp-initiated-logout-certification-test-plan` and of
/// `oidcc-backchannel-rp-initiated-logout-certification-test-plan`.
enum LogoutPlan {
    static let redirect = "https://web.example.org/goodbye"

    static let cases = [
        module("oidcc-rp-initiated-logout-discovery-endpoint-verification") { (run) async throws in
            let address = try await run.metadata()["end_session_endpoint"]
            #expect(address == .string(OAuthFixture.issuer + "/oauth2/end_session"))
        },
        module("oidcc-backchannel-logout-discovery-endpoint-verification") { (run) async throws in
            let metadata = try await run.metadata()
            #expect(metadata["backchannel_logout_supported"] == true)
            #expect(metadata["backchannel_logout_session_supported"] == true)
        },
        module("oidcc-backchannel-rp-initiated-logout") { (_) async throws in
            try await SignOutReceiver.with { client, address in
                let signOut = ClientSignOutSettings(redirects: [redirect], address: address)
                try await ConformanceRun.with({ $0.setSignOut(signOut) }) { try await backChannel($0, client) }
            }
        },
        module("oidcc-rp-initiated-logout") { (run) async throws in
            let hint = try await hint(run)
            let response = try await end(run, [hint, ("post_logout_redirect_uri", redirect), ("state", "abc")])
            #expect(response.status == 302 && response.headers["Location"] == redirect + "?state=abc")
            #expect(try await !isSignedIn(run))
        },
        module("oidcc-rp-initiated-logout-no-state") { (run) async throws in
            let response = try await end(run, [try await hint(run), ("post_logout_redirect_uri", redirect)])
            #expect(response.status == 302 && response.headers["Location"] == redirect)
            #expect(try await !isSignedIn(run))
        },
        module("oidcc-rp-initiated-logout-no-post-logout-redirect-uri") { (run) async throws in
            let response = try await end(run, [try await hint(run), ("state", "abc")])
            #expect(response.status == 303 && response.headers["Location"]?.hasPrefix("/latch/") == true)
            #expect(try await !isSignedIn(run))
        },
        module("oidcc-rp-initiated-logout-no-params") { (run) async throws in try await expectQuestion(run, []) },
        module("oidcc-rp-initiated-logout-only-state") { (run) async throws in
            try await expectQuestion(run, [("state", "abc")])
        },
        module("oidcc-rp-initiated-logout-bad-post-logout-redirect-uri") { (run) async throws in
            let hint = try await hint(run)
            try await expectRefusal(run, [hint, ("post_logout_redirect_uri", redirect + "/other")])
        },
        module("oidcc-rp-initiated-logout-query-added-to-post-logout-redirect-uri") { (run) async throws in
            let hint = try await hint(run)
            try await expectRefusal(run, [hint, ("post_logout_redirect_uri", redirect + "?foo=bar")])
        },
        module("oidcc-rp-initiated-logout-modified-id-token-hint") { (run) async throws in
            let (name, token) = try await hint(run)
            let parts = token.split(separator: ".")
            let modified = "\(parts[0]).\(parts[1]).\(String(parts[2].reversed()))"
            try await expectRefusal(run, [(name, modified), ("post_logout_redirect_uri", redirect)])
        },
        module("oidcc-rp-initiated-logout-bad-id-token-hint") { (run) async throws in
            _ = try await hint(run)
            try await expectRefusal(run, [("id_token_hint", "nonsense"), ("post_logout_redirect_uri", redirect)])
        },
        module("oidcc-rp-initiated-logout-no-id-token-hint") { (run) async throws in
            _ = try await hint(run)
            try await expectRefusal(run, [("post_logout_redirect_uri", redirect), ("state", "abc")])
        },
    ]

    private static func module(
        _ name: String, _ check: @escaping @Sendable (ConformanceRun) async throws -> Void
    ) -> ConformanceCase {
        ConformanceCase(.logout, name, .supported, check)
    }

    private static func backChannel(_ run: ConformanceRun, _ client: SignOutReceiver) async throws {
        let tokens = try await run.tokens()
        let fields = [
            ("id_token_hint", try tokens.id.orThrow), ("post_logout_redirect_uri", redirect), ("state", "abc"),
        ]
        #expect(try await end(run, fields).headers["Location"] == redirect + "?state=abc")
        await run.fixture.gateway.gateway.tellClients()
        let received = client.take()
        #expect(received.count == 1)
        let token = OAuthTokens(access: tokens.access, refresh: tokens.refresh, id: received.first)
        let (claims, named) = (try await run.claims(token), try await run.claims(tokens))
        for name in ["iss", "aud", "sub", "sid"] { #expect(claims[name] == named[name], "\(name)") }
        #expect(claims["iat"]?.number != nil && claims["exp"]?.number != nil && claims["jti"]?.string != nil)
        #expect(claims["nonce"] == nil)
        #expect(claims["events"] == ["http://schemas.openid.net/event/backchannel-logout": [:]])
        let silent = try await run.fixture.open(run.parameters([("prompt", "none")]))
        #expect(try run.fields(of: silent)["error"] == "login_required")
    }

    /// Signs the person in and returns the parameter with the ID token.
    private static func hint(_ run: ConformanceRun) async throws -> (String, String) {
        ("id_token_hint", try await run.tokens().id.orThrow)
    }

    private static func end(_ run: ConformanceRun, _ fields: [(String, String)]) async throws -> Exchange.Response {
        try await run.fixture.browser.get("/oauth2/end_session?" + FormURLEncoded.encode(fields))
    }

    private static func isSignedIn(_ run: ConformanceRun) async throws -> Bool {
        try await run.fixture.browser.get("/latch/account").status == 200
    }

    private static func expectQuestion(_ run: ConformanceRun, _ fields: [(String, String)]) async throws {
        _ = try await hint(run)
        let page = try await end(run, fields)
        #expect(page.status == 200 && page.text.contains("Sign out?"))
        #expect(try await isSignedIn(run))
    }

    private static func expectRefusal(_ run: ConformanceRun, _ fields: [(String, String)]) async throws {
        let page = try await end(run, fields)
        #expect(page.status == 400 && page.headers["Location"] == nil)
        #expect(try await isSignedIn(run))
    }
}
