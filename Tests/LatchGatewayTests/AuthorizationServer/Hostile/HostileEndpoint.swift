import Crypto
import FoundationEssentials
import HTTPMessages
import TestSupport
import Testing

/// An endpoint, a valid request of the client `web` for it, and what happens when a parameter is wrong.
struct HostileEndpoint: Sendable, CustomTestStringConvertible {
    typealias Form = [(String, String)]

    /// The expected responses for one parameter.
    struct Row: Sendable {
        let name: String
        let missing: String
        let doubled: String
        let empty: String
        /// The response to the value of the other client, or to `value`.
        let swapped: String
        /// What is sent instead where clients do not have values of their own.
        let value: String?

        init(
            _ name: String, _ missing: String, _ doubled: String, _ empty: String, _ swapped: String,
            _ value: String? = nil
        ) {
            (self.name, self.missing, self.doubled, self.empty) = (name, missing, doubled, empty)
            (self.swapped, self.value) = (swapped, value)
        }
    }

    let name: String
    let rows: [Row]
    /// Returns a new valid request of a client.
    let valid: @Sendable (HostileFixture, HostileFixture.Client) async throws -> Form
    /// Sends a request and returns the outcome.
    let send: @Sendable (HostileFixture, Form) async throws -> String
    /// The outcome of the same request of `rival` after `web` has sent a value of it. Nil where that does not matter.
    var victim: String?

    var testDescription: String { name }

    /// Posts to an endpoint that returns JSON.
    static func post(_ endpoint: String) -> @Sendable (HostileFixture, Form) async throws -> String {
        { hostile, form in HostileFixture.outcome(try await hostile.fixture.post(endpoint, form)) }
    }

    /// The credentials in the form: whatever is wrong with them, the client is not known.
    private static let credentials = [
        Row("client_id", "invalid_client", "invalid_request", "invalid_client", "invalid_client"),
        Row("client_secret", "invalid_client", "invalid_request", "invalid_client", "invalid_client"),
    ]

    /// The parameters of an authorization request that come after the client is known.
    private static let parameters = [
        Row(
            "response_type", "invalid_request", "invalid_request", "invalid_request", "unsupported_response_type",
            "token"),
        Row("scope", "ok", "invalid_request", "ok", "ok"), Row("state", "ok", "invalid_request", "ok", "ok"),
        Row("nonce", "ok", "invalid_request", "ok", "ok"),
        Row("code_challenge", "invalid_request", "invalid_request", "invalid_request", "ok"),
        Row(
            "code_challenge_method", "invalid_request", "invalid_request", "invalid_request", "invalid_request", "plain"
        ),
        Row("response_mode", "ok", "invalid_request", "ok", "invalid_request", "fragment"),
        Row("prompt", "ok", "invalid_request", "ok", "invalid_request", "none login"),
        Row("max_age", "ok", "invalid_request", "ok", "invalid_request", "-1"),
        Row("acr_values", "ok", "invalid_request", "ok", "ok", "unknown"),
        Row("resource", "ok", "ok", "ok", "invalid_target", "https://rival.example.org"),
        Row("dpop_jkt", "ok", "invalid_request", "ok", "invalid_request", "short"),
        Row("id_token_hint", "ok", "invalid_request", "ok", "ok"),
    ]

    /// A request with all these parameters.
    @Sendable private static func authorization(
        _ hostile: HostileFixture, _ client: HostileFixture.Client
    ) async throws -> Form {
        hostile.authorization(of: client) + [
            ("prompt", "consent"), ("max_age", "10000"), ("acr_values", "single-factor"),
            ("resource", OAuthFixture.resource), ("dpop_jkt", Base64URL.encode([UInt8](repeating: 1, count: 32))),
            ("id_token_hint", try await hostile.tokens(of: client).id.orThrow),
        ]
    }

    @Sendable private static func open(_ hostile: HostileFixture, _ form: Form) async throws -> String {
        try HostileFixture.authorizationOutcome(try await hostile.authorize(form))
    }

    private static let authorizations = [
        HostileEndpoint(
            name: "authorize",
            rows: [
                Row("client_id", "page", "page", "page", "page"), Row("redirect_uri", "page", "page", "page", "page"),
            ]
                + parameters, valid: authorization, send: open),
        HostileEndpoint(
            name: "authorize, pushed before",
            rows: [
                Row("client_id", "page", "page", "page", "page"), Row("request_uri", "page", "page", "page", "page"),
            ],
            valid: { hostile, client in
                [("client_id", client.id), ("request_uri", try await hostile.pushed(of: client))]
            }, send: open),
        HostileEndpoint(
            name: "par",
            rows: credentials + [
                Row("redirect_uri", "invalid_request", "invalid_request", "invalid_request", "invalid_request")
            ] + parameters,
            valid: { try await authorization($0, $1) + [("client_secret", $1.secret)] }, send: post("par")),
    ]

    private static let tokens = [
        HostileEndpoint(
            name: "token, authorization_code",
            rows: credentials + [
                Row(
                    "grant_type", "invalid_request", "invalid_request", "invalid_request", "unsupported_grant_type",
                    "password"),
                Row("code", "invalid_request", "invalid_request", "invalid_request", "invalid_grant"),
                Row("redirect_uri", "ok", "invalid_request", "ok", "invalid_grant"),
                Row("code_verifier", "invalid_request", "invalid_request", "invalid_request", "invalid_grant"),
            ], valid: { try await $0.exchange(of: $1) }, send: post("token")),
        HostileEndpoint(
            name: "token, refresh_token",
            rows: credentials + [
                Row(
                    "grant_type", "invalid_request", "invalid_request", "invalid_request", "invalid_request",
                    "authorization_code"),
                Row("refresh_token", "invalid_request", "invalid_request", "invalid_request", "invalid_grant"),
                Row("scope", "ok", "invalid_request", "ok", "invalid_scope", "openid groups"),
            ],
            valid: { hostile, client in
                [
                    ("grant_type", "refresh_token"), ("refresh_token", try await hostile.tokens(of: client).refresh),
                    ("scope", "openid"),
                ] + client.credentials
            }, send: post("token"), victim: "ok"),
        HostileEndpoint(
            name: "token, device_code",
            rows: credentials + [
                Row(
                    "grant_type", "invalid_request", "invalid_request", "invalid_request", "invalid_request",
                    "refresh_token"),
                Row("device_code", "invalid_request", "invalid_request", "invalid_request", "invalid_grant"),
            ],
            valid: { hostile, client in
                [("grant_type", OAuthFixture.deviceGrant), ("device_code", try await hostile.deviceCode(of: client))]
                    + client.credentials
            }, send: post("token"), victim: "ok"),
        HostileEndpoint(
            name: "device_authorization",
            rows: credentials + [
                Row("scope", "ok", "invalid_request", "ok", "ok"),
                Row("resource", "ok", "ok", "ok", "invalid_target", "https://rival.example.org"),
            ],
            valid: { _, client in
                client.credentials + [("scope", "openid"), ("resource", OAuthFixture.resource)]
            }, send: post("device_authorization")),
        HostileEndpoint(
            name: "device_authorization of latch",
            rows: [
                Row("client_id", "invalid_client", "invalid_request", "invalid_client", "invalid_client"),
                Row("dialect", "invalid_request", "invalid_request", "invalid_request", "invalid_request", "nobody"),
            ],
            valid: { _, client in [("client_id", client.id == "web" ? "latch" : client.id), ("dialect", "onyx")] },
            send: post("device_authorization")),
    ]

    private static func token(
        _ hostile: HostileFixture, _ client: HostileFixture.Client
    ) async throws -> Form {
        [("token", try await hostile.tokens(of: client).access), ("token_type_hint", "access_token")]
            + client.credentials
    }

    private static let others = [
        HostileEndpoint(
            name: "revoke",
            rows: credentials + [
                Row("token", "invalid_request", "invalid_request", "invalid_request", "ok"),
                Row("token_type_hint", "ok", "invalid_request", "ok", "ok", "unknown"),
            ], valid: { try await token($0, $1) }, send: post("revoke")),
        HostileEndpoint(
            name: "introspect",
            rows: credentials + [
                Row("token", "invalid_request", "invalid_request", "invalid_request", "inactive"),
                Row("token_type_hint", "ok", "invalid_request", "ok", "ok", "unknown"),
            ], valid: { try await token($0, $1) }, send: post("introspect"), victim: "ok"),
        HostileEndpoint(
            name: "end_session",
            rows: [
                Row("id_token_hint", "question", "page", "question", "page"),
                Row("client_id", "ok", "page", "page", "page"),
                Row("post_logout_redirect_uri", "signed out", "page", "page", "page"),
                Row("state", "ok", "page", "ok", "ok"),
            ],
            valid: { hostile, client in
                let browser = hostile.fixture.browser
                if browser.browser.cookies["latchd_session"] == nil { _ = try await browser.signIn() }
                return [
                    ("id_token_hint", try await hostile.tokens(of: client).id.orThrow), ("client_id", client.id),
                    ("post_logout_redirect_uri", client.signOutRedirect), ("state", client.id),
                ]
            },
            send: { hostile, form in
                let path = "/oauth2/end_session?" + FormURLEncoded.encode(form)
                let response = try await hostile.fixture.browser.get(path)
                guard let location = response.next else {
                    return response.status == 400 ? "page" : response.text.contains("Sign out?") ? "question" : "?"
                }
                hostile.fixture.browser.browser.cookies["latchd_session"] = nil
                if location.hasPrefix(HostileFixture.web.signOutRedirect) { return "ok" }
                return location.hasPrefix("/latch/sign-in?done=out") ? "signed out" : "redirects to \(location)"
            }),
    ]

    static let all = authorizations + tokens + others + pages
}
