import Crypto
import FoundationEssentials
import HTTPMessages
import TestSupport
import Testing

@testable import LatchGateway

/// The modules of `oidcc-basic-certification-test-plan`, which are also those of
/// `oidcc-formpost-basic-certification-test-plan`.
enum BasicPlan {
    /// The modules of a plan, which differ in the response mode.
    static func cases(_ plan: ConformanceCase.Plan) -> [ConformanceCase] {
        [signIns, userInfo, parameters, ignored, reauthentication, requestObjects, codes].joined()
            .map { ConformanceCase(plan, $0.name, $0.outcome, $0.check) }
    }

    private struct Module: Sendable {
        let name: String
        let outcome: ConformanceCase.Outcome
        let check: @Sendable (ConformanceRun) async throws -> Void
    }

    private static func module(
        _ name: String, _ outcome: ConformanceCase.Outcome = .supported,
        _ check: @escaping @Sendable (ConformanceRun) async throws -> Void
    ) -> Module {
        Module(name: name, outcome: outcome, check: check)
    }

    private static let signIns: [Module] = [
        module("oidcc-server") { (run) async throws in
            let claims = try await run.claims(try await run.tokens())
            #expect(claims["iss"] == .string(OAuthFixture.issuer) && claims["aud"] == "web")
            #expect(claims["nonce"] == "the nonce" && claims["sub"]?.string != nil && claims["exp"]?.number != nil)
        },
        module("oidcc-idtoken-signature") { (run) async throws in
            // 'claims' checks the signature with the published keys.
            let tokens = try await run.tokens()
            #expect(try await run.claims(tokens)["iss"] == .string(OAuthFixture.issuer))
        },
        module("oidcc-idtoken-unsigned", .notOffered) { (run) async throws in
            let offered = try await run.metadata()["id_token_signing_alg_values_supported"]?.array
            #expect(offered?.contains("none") == false)
        },
        module("oidcc-response-type-missing") { (run) async throws in
            let error = try await run.error([("response_type", nil)])
            #expect(error == "invalid_request")
        },
        module("oidcc-server-client-secret-post") { (run) async throws in
            let claims = try await run.claims(try await run.tokens())
            #expect(claims["aud"] == "web")
        },
        module("oidcc-ensure-request-without-nonce-succeeds-for-code-flow") { (run) async throws in
            let claims = try await run.claims(try await run.tokens([("nonce", nil)]))
            #expect(claims["nonce"] == nil)
        },
        module("oidcc-ensure-request-with-valid-pkce-succeeds") { (run) async throws in
            #expect(try await run.tokens().id != nil)
        },
        module("oidcc-ensure-post-request-succeeds") { (run) async throws in
            _ = try await run.fixture.browser.signIn()
            let posted = try await run.fixture.browser.post(
                "/oauth2/authorize", run.parameters(), site: [("Sec-Fetch-Site", "cross-site")])
            let next = try await run.fixture.browser.get(try posted.next.orThrow)
            #expect(try await run.finish(next)["code"] != nil)
        },
        module("oidcc-ensure-registered-redirect-uri") { (run) async throws in
            let request = run.parameters([("redirect_uri", "https://web.example.org/other")])
            let page = try await run.fixture.open(request)
            #expect(page.status == 400 && page.next == nil)
        },
    ]

    private static let userInfo: [Module] = [
        module("oidcc-userinfo-get") { (run) async throws in
            let tokens = try await run.tokens()
            let info = try await run.fixture.userInfo(tokens.access)
            #expect(info.status == 200)
            #expect(try await info.json?["sub"] == run.claims(tokens)["sub"])
        },
        module("oidcc-userinfo-post-header") { (run) async throws in
            let token = try await run.tokens().access
            let info = try await run.fixture.post("userinfo", [], headers: GatewayFixture.bearer(token))
            #expect(info.status == 200 && info.json?["sub"]?.string != nil)
        },
        module("oidcc-userinfo-post-body") { (run) async throws in
            let token = try await run.tokens().access
            let info = try await run.fixture.post("userinfo", [("access_token", token)])
            #expect(info.status == 200 && info.json?["sub"]?.string != nil)
            #expect(try await run.fixture.post("userinfo", [("access_token", "x")]).status == 401)
        },
    ]

    /// Returns the claims of the userinfo endpoint for scopes.
    private static func claims(_ run: ConformanceRun, _ scope: String) async throws -> JSONValue {
        let tokens = try await run.tokens([("scope", scope)])
        return try await run.fixture.userInfo(tokens.access).json.orThrow
    }

    private static let parameters: [Module] = [
        module("oidcc-scope-profile") { (run) async throws in
            #expect(try await claims(run, "openid profile")["name"] == "Ada")
        },
        module("oidcc-scope-email") { (run) async throws in
            #expect(try await claims(run, "openid email")["email"] == .string(GatewayFixture.email))
        },
        module("oidcc-scope-address", .notOffered) { (run) async throws in
            #expect(try await claims(run, "openid address")["address"] == nil)
        },
        module("oidcc-scope-phone", .notOffered) { (run) async throws in
            #expect(try await claims(run, "openid phone")["phone_number"] == nil)
        },
        module("oidcc-scope-all") { (run) async throws in
            let claims = try await claims(run, "openid profile email address phone")
            #expect(claims["name"] == "Ada" && claims["email"] == .string(GatewayFixture.email))
        },
        module("oidcc-alternate-happy-flow") { (run) async throws in
            let changes = [("scope", "email openid" as String?)]
            if run.fixture.browser.browser.cookies["latchd_session"] == nil {
                _ = try await run.fixture.browser.signIn()
            }
            let response = try await run.fixture.open(run.parameters(changes).reversed())
            let code = try await run.finish(response)["code"].orThrow
            let tokens = try OAuthTokens(try await run.exchange(code))
            #expect(try await run.fixture.userInfo(tokens.access).json?["email"] == .string(GatewayFixture.email))
        },
    ]

    /// Modules whose parameter must not make the request fail.
    private static let ignored: [Module] =
        ([
            ("oidcc-display-page", "display", "page"), ("oidcc-display-popup", "display", "popup"),
            ("oidcc-login-hint", "login_hint", GatewayFixture.email), ("oidcc-ui-locales", "ui_locales", "se"),
            ("oidcc-claims-locales", "claims_locales", "se"),
            ("oidcc-ensure-request-with-unknown-parameter-succeeds", "extra", "foobar"),
            ("oidcc-ensure-request-with-acr-values-succeeds", "acr_values", "1 2"),
        ] as [(String, String, String)]).map { name, parameter, value in
            module(name) { (run) async throws in #expect(try await run.tokens([(parameter, value)]).id != nil) }
        } + [
            module("oidcc-claims-essential", .notOffered) { (run) async throws in
                let claims = #"{"userinfo":{"name":{"essential":true}}}"#
                #expect(try await run.tokens([("claims", claims)]).id != nil)
            }
        ]

    private static let reauthentication: [Module] = [
        module("oidcc-prompt-login") { (run) async throws in
            let first = try await run.claims(try await run.tokens())
            run.fixture.gateway.clock.advance(100)
            let request = run.parameters([("prompt", "login"), ("max_age", "15000")])
            let fields = try await run.finish(try await run.signInAgain(try await run.fixture.open(request)))
            let tokens = try OAuthTokens(try await run.exchange(try fields["code"].orThrow))
            let (old, new) = (first["auth_time"]?.number, try await run.claims(tokens)["auth_time"]?.number)
            #expect(new ?? 0 > old ?? 0 && new != nil)
        },
        module("oidcc-prompt-none-not-logged-in") { (run) async throws in
            let response = try await run.fixture.open(run.parameters([("prompt", "none")]))
            let error = try run.fields(of: response)["error"]
            #expect(error == "login_required")
        },
        module("oidcc-prompt-none-logged-in") { (run) async throws in
            let first = try await run.claims(try await run.tokens([("max_age", "15000")]))
            let second = try await run.claims(try await run.tokens([("prompt", "none"), ("max_age", "15000")]))
            #expect(first["sub"] == second["sub"] && first["auth_time"] == second["auth_time"])
        },
        module("oidcc-id-token-hint") { (run) async throws in
            let first = try await run.tokens()
            let second = try await run.tokens([("prompt", "none"), ("id_token_hint", try first.id.orThrow)])
            let (old, new) = (try await run.claims(first)["sub"], try await run.claims(second)["sub"])
            #expect(old == new && new != nil)
        },
        module("oidcc-max-age-1") { (run) async throws in
            let first = try await run.claims(try await run.tokens())
            run.fixture.gateway.clock.advance(2)
            let response = try await run.fixture.open(run.parameters([("max_age", "1")]))
            let fields = try await run.finish(try await run.signInAgain(response))
            let second = try await run.claims(
                try OAuthTokens(try await run.exchange(try fields["code"].orThrow)))
            let (old, new) = (first["auth_time"]?.number, second["auth_time"]?.number)
            #expect(new ?? 0 > old ?? 0 && new != nil)
        },
        module("oidcc-max-age-10000") { (run) async throws in
            let first = try await run.claims(try await run.tokens([("max_age", "10000")]))
            run.fixture.gateway.clock.advance(10)
            let second = try await run.claims(try await run.tokens([("max_age", "10000")]))
            #expect(first["auth_time"]?.number != nil && first["auth_time"] == second["auth_time"])
        },
    ]

    private static let requestObjects: [Module] = [
        module("oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported", .notOffered) {
            (run) async throws in
            let error = try await run.error([("request_uri", "https://rp.example/request")])
            #expect(error == "request_uri_not_supported")
        },
        module("oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported", .notOffered) {
            (run) async throws in
            let error = try await run.error([("request", "e30.e30.")])
            #expect(error == "request_not_supported")
        },
        module("oidcc-ensure-request-object-with-redirect-uri", .notOffered) { (run) async throws in
            let request = Base64URL.encode(Array(#"{"redirect_uri":"https://evil.example/"}"#.utf8))
            let error = try await run.error([("request", "e30.\(request).")])
            #expect(error == "request_not_supported")
        },
    ]

    private static let codes: [Module] = [
        module("oidcc-codereuse") { (run) async throws in
            let code = try await run.authorize()["code"].orThrow
            #expect(try await run.exchange(code).status == 200)
            #expect(try await run.exchange(code).json?["error"] == "invalid_grant")
        },
        module("oidcc-codereuse-30seconds") { (run) async throws in
            let code = try await run.authorize()["code"].orThrow
            let tokens = try OAuthTokens(try await run.exchange(code))
            run.fixture.gateway.clock.advance(30)
            #expect(try await run.exchange(code).json?["error"] == "invalid_grant")
            #expect(try await run.fixture.userInfo(tokens.access).status == 401)
        },
        module("oidcc-refresh-token") { (run) async throws in
            let tokens = try await run.tokens([("scope", "openid offline_access")])
            let refreshed = try await run.fixture.post(
                "token",
                [
                    ("grant_type", "refresh_token"), ("refresh_token", tokens.refresh), ("client_id", "web"),
                    ("client_secret", OAuthFixture.secret),
                ])
            let new = try OAuthTokens(refreshed)
            #expect(new.access != tokens.access)
            #expect(try await run.fixture.userInfo(new.access).status == 200)
            #expect(try await run.fixture.refresh(new.refresh).status == 400, "of another client")
        },
    ]
}
