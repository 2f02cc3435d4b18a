import Crypto
import HTTPMessages
import OAuth
import TestSupport
import Testing

@testable import LatchGateway

/// The modules of `fapi2-security-profile-final-test-plan` for the profile `plain_fapi`, with `private_key_jwt` and DPoP where
/// a module is about these.
enum FAPI2Plan {
    static let cases = signIns + requests + pushedRequests + codes + assertions + proofs

    static func module(
        _ name: String, _ outcome: ConformanceCase.Outcome = .supported,
        _ check: @escaping @Sendable (ConformanceRun) async throws -> Void
    ) -> ConformanceCase {
        ConformanceCase(.fapi2, "fapi2-security-profile-final-" + name, outcome, check)
    }

    static func pushed(_ run: ConformanceRun, _ changes: [(String, String?)] = []) async throws -> String {
        let response = try await push(run, changes)
        return try (response.json?["request_uri"]?.string).orThrow
    }

    static func push(_ run: ConformanceRun, _ changes: [(String, String?)] = []) async throws -> Exchange.Response {
        try await run.fixture.post("par", run.parameters([("client_secret", OAuthFixture.secret)] + changes))
    }

    private static func open(
        _ run: ConformanceRun, _ address: String, client: String = "web", _ more: [(String, String)] = []
    ) async throws -> Exchange.Response {
        try await run.fixture.open([("client_id", client), ("request_uri", address)] + more)
    }

    static func isRefused(_ response: Exchange.Response, _ error: String = "invalid_request") -> Bool {
        response.status == 400 && response.json?["error"] == .string(error) && response.json?["request_uri"] == nil
    }

    private static let requests = [
        module("user-rejects-authentication") { (run) async throws in
            _ = try await run.fixture.browser.signIn()
            let page = try await run.fixture.open(run.parameters())
            let error = try run.fields(of: try await run.fixture.decide(page, "deny"))["error"]
            #expect(error == "access_denied")
        },
        module("ensure-response-type-token-fails") { (run) async throws in
            #expect(isRefused(try await push(run, [("response_type", "token")]), "unsupported_response_type"))
        },
        module("ensure-response-type-code-idtoken-fails") { (run) async throws in
            #expect(isRefused(try await push(run, [("response_type", "code id_token")]), "unsupported_response_type"))
        },
        module("ensure-redirect-uri-in-authorization-request") { (run) async throws in
            #expect(isRefused(try await push(run, [("redirect_uri", nil)])))
        },
        module("ensure-different-nonce-inside-and-outside-request-object") { (run) async throws in
            _ = try await run.fixture.browser.signIn()
            let response = try await open(run, try await pushed(run), [("nonce", "outside")])
            let tokens = try OAuthTokens(try await run.exchange(try await run.finish(response)["code"].orThrow))
            #expect(try await run.claims(tokens)["nonce"] == "the nonce")
        },
        module("ensure-different-state-inside-and-outside-request-object") { (run) async throws in
            _ = try await run.fixture.browser.signIn()
            let response = try await open(run, try await pushed(run), [("state", "outside")])
            #expect(try await run.finish(response)["state"] == "the state")
        },
        module("state-only-outside-request-object-not-used") { (run) async throws in
            _ = try await run.fixture.browser.signIn()
            let response = try await open(run, try await pushed(run, [("state", nil)]), [("state", "outside")])
            #expect(try await run.finish(response)["state"] == nil)
        },
        module("ensure-request-object-without-redirect-uri-fails", .notOffered) { (run) async throws in
            #expect(isRefused(try await push(run, [("request", "e30.e30.")]), "request_not_supported"))
        },
        module("ensure-unsigned-authorization-request-without-using-par-fails", .notOffered) { (run) async throws in
            // The gateway accepts pushed requests and does not require them.
            #expect(try await run.metadata()["require_pushed_authorization_requests"]?.bool != true)
        },
    ]

    private static let pushedRequests = [
        module("par-attempt-reuse-request_uri") { (run) async throws in
            _ = try await run.fixture.browser.signIn()
            let address = try await pushed(run)
            let code = try await run.finish(try await open(run, address))["code"]
            #expect(code != nil)
            #expect(try await open(run, address).status == 400)
        },
        module("par-ensure-reused-request-uri-prior-to-auth-completion-succeeds") { (run) async throws in
            let address = try await pushed(run)
            #expect(try await open(run, address).status == 303)
            _ = try await run.fixture.browser.signIn()
            let code = try await run.finish(try await open(run, address))["code"]
            #expect(code != nil)
        },
        module("par-attempt-to-use-expired-request_uri") { (run) async throws in
            let address = try await pushed(run)
            run.fixture.gateway.clock.advance(601)
            #expect(try await open(run, address).status == 400)
        },
        module("par-attempt-to-use-request_uri-for-different-client") { (run) async throws in
            let response = try await open(run, try await pushed(run), client: "app")
            #expect(response.status == 400 && response.headers["Location"] == nil)
        },
        module("par-authorization-request-containing-request_uri-form-param") { (run) async throws in
            let response = try await push(run, [("request_uri", try await pushed(run))])
            #expect(isRefused(response))
        },
        module("par-attempt-invalid-http-method") { (run) async throws in
            let response = try await run.fixture.gateway.http.send("GET", "/oauth2/par")
            #expect(response.status == 405)
        },
        module("par-ensure-pkce-required") { (run) async throws in
            #expect(isRefused(try await push(run, [("code_challenge", nil), ("code_challenge_method", nil)])))
        },
        module("par-plain-pkce-rejected") { (run) async throws in
            let verifier = run.fixture.verifier.secret.reveal()
            #expect(isRefused(try await push(run, [("code_challenge", verifier), ("code_challenge_method", "plain")])))
        },
        module("par-without-duplicate-parameters") { (run) async throws in
            _ = try await run.fixture.browser.signIn()
            let response = try await open(run, try await pushed(run))
            #expect(try await run.finish(response)["code"] != nil)
        },
    ]

    private static let codes = [
        module("incorrect-pkce-code-verifier-rejected") { (run) async throws in
            let code = try await run.authorize()["code"].orThrow
            let response = try await run.exchange(code, [("code_verifier", PKCE.Verifier().secret.reveal())])
            #expect(isRefused(response, "invalid_grant"))
        },
        module("ensure-pkce-code-verifier-required") { (run) async throws in
            let code = try await run.authorize()["code"].orThrow
            #expect(isRefused(try await run.exchange(code, [("code_verifier", nil)])))
        },
        module("ensure-client-id-in-token-endpoint") { (run) async throws in
            let code = try await run.authorize()["code"].orThrow
            let response = try await run.exchange(code, [("client_id", nil), ("client_secret", nil)])
            #expect(response.json?["error"] == "invalid_client")
        },
        module("ensure-authorization-code-is-bound-to-client") { (run) async throws in
            let code = try await run.authorize()["code"].orThrow
            let response = try await run.fixture.exchange(code, redirect: OAuthFixture.webRedirect)
            #expect(isRefused(response, "invalid_grant"))
        },
        module("attempt-reuse-authorization-code-after-one-second") { (run) async throws in
            let code = try await run.authorize()["code"].orThrow
            #expect(try await run.exchange(code).status == 200)
            run.fixture.gateway.clock.advance(1)
            #expect(isRefused(try await run.exchange(code), "invalid_grant"))
        },
        module("ensure-token-endpoint-fails-with-expired-auth-code") { (run) async throws in
            let code = try await run.authorize()["code"].orThrow
            run.fixture.gateway.clock.advance(61)
            #expect(isRefused(try await run.exchange(code), "invalid_grant"))
        },
        module("refresh-token") { (run) async throws in
            let client = try FAPI2Client(run)
            let tokens = try await client.tokens()
            let renewed = try OAuthTokens(try await client.refresh(tokens.refresh, proof: try client.proof("token")))
            #expect(try await client.userInfo(tokens.access) == 200)
            run.fixture.gateway.clock.advance(30)
            let repeated = try await client.refresh(tokens.refresh, proof: try client.proof("token"))
            #expect(try OAuthTokens(repeated) == renewed, "the response was lost")
            #expect(isRefused(try await client.refresh(renewed.refresh, proof: nil), "invalid_dpop_proof"))
            let other = try await run.tokens().refresh
            #expect(isRefused(try await client.refresh(other, proof: try client.proof("token")), "invalid_grant"))
            #expect(isRefused(try await run.fixture.refresh(renewed.refresh), "invalid_grant"))
        },
    ]
}
