import HTTPMessages
import TestSupport
import Testing

@testable import LatchGateway

/// The modules of `oidcc-dynamic-certification-test-plan`. Its discovery module requires the implicit grant, which
/// RFC 9700 advises against, and others `request_uri` and `jwks_uri`, so the gateway cannot pass the whole plan.
enum DynamicPlan {
    static let cases = registrations + keys + notOffered

    private static let registrations =
        [
            module("oidcc-discovery-endpoint-verification", .notOffered) { (run) async throws in
                let metadata = try await run.metadata()
                let address = OAuthFixture.issuer + "/oauth2/register"
                #expect(metadata["registration_endpoint"] == .string(address))
                #expect(metadata["response_types_supported"] == ["code"])
            },
            module("oidcc-server") { (run) async throws in
                let (id, secret) = try await register(run, redirect)
                let fields = try await run.authorize([("client_id", id), ("redirect_uri", redirect)])
                let response = try await run.exchange(
                    try fields["code"].orThrow,
                    [("client_id", id), ("client_secret", secret), ("redirect_uri", redirect)])
                #expect(try await run.claims(try OAuthTokens(response))["aud"] == .string(id))
            },
            module("oidcc-ensure-redirect-uri-in-authorization-request") { (run) async throws in
                let (id, _) = try await register(run, redirect)
                try await expectPage(run, [("client_id", id), ("redirect_uri", nil)])
            },
            module("oidcc-redirect-uri-query-OK") { (run) async throws in
                let address = redirect + "?foo=bar"
                let (id, _) = try await register(run, address)
                _ = try await run.fixture.browser.signIn()
                let request = run.parameters([("client_id", id), ("redirect_uri", address)])
                let response = try await run.fixture.decide(try await run.fixture.open(request))
                #expect(response.next?.hasPrefix(address + "&code=") == true)
            },
            module("oidcc-redirect-uri-query-added") { (run) async throws in
                let (id, _) = try await register(run, redirect)
                try await expectPage(run, [("client_id", id), ("redirect_uri", redirect + "?foo=bar")])
            },
            module("oidcc-redirect-uri-query-mismatch") { (run) async throws in
                let (id, _) = try await register(run, redirect + "?foo=bar")
                try await expectPage(run, [("client_id", id), ("redirect_uri", redirect + "?foo=other")])
            },
            module("oidcc-redirect-uri-regfrag") { (run) async throws in
                let response = try await send(run, ["redirect_uris": [.string(redirect + "#fragment")]])
                #expect(response.status == 400 && response.json?["error"] == "invalid_redirect_uri")
            },
        ]
        + ["logo", "policy", "tos"].map { name in
            module("oidcc-registration-\(name)-uri", .notOffered) { (run) async throws in
                let metadata: JSONValue = .object([
                    .init("redirect_uris", [.string(redirect)]),
                    .init("\(name)_uri", .string("https://web.example.org/\(name)")),
                ])
                let response = try await send(run, metadata)
                #expect(response.status == 201 && response.json?["\(name)_uri"] == nil)
            }
        }

    static let redirect = "https://dynamic.example.org/callback"

    static func module(
        _ name: String, _ outcome: ConformanceCase.Outcome = .supported,
        _ check: @escaping @Sendable (ConformanceRun) async throws -> Void
    ) -> ConformanceCase {
        ConformanceCase(.dynamic, name, outcome, check)
    }

    static func send(_ run: ConformanceRun, _ metadata: JSONValue) async throws -> Exchange.Response {
        try await run.fixture.gateway.http.send(
            "POST", "/oauth2/register", headers: [("Content-Type", JSON.mediaType)],
            body: String(decoding: metadata.encoded(), as: UTF8.self))
    }

    /// Registers a client and returns its id and secret.
    static func register(_ run: ConformanceRun, _ redirect: String) async throws -> (String, String) {
        let response = try await send(run, ["redirect_uris": [.string(redirect)]])
        return (
            try (response.json?["client_id"]?.string).orThrow, try (response.json?["client_secret"]?.string).orThrow
        )
    }

    private static func expectPage(_ run: ConformanceRun, _ changes: [(String, String?)]) async throws {
        let page = try await run.fixture.open(run.parameters(changes))
        #expect(page.status == 400 && page.headers["Location"] == nil)
    }
}
