import GatewayConfiguration
import GatewayCore
import GatewayHTTP
import HTTPMessages
import HTTPServer
import JOSE
import OAuth

extension OAuthRoutes {
    /// The paths of the metadata, below the host: that of RFC 8414, whose well-known part precedes the path of the
    /// issuer, and that of OpenID Connect Discovery.
    ///
    /// Source: RFC 8414 §3.1; OpenID Connect Discovery §4.
    static func metadataPaths(of issuer: String) -> [String] {
        let path = issuer.split(separator: "/", maxSplits: 3).dropFirst(2).first.map { "/" + $0 } ?? ""
        let known = "/.well-known/oauth-authorization-server"
        return (path.isEmpty ? [known] : [known, known + path]) + ["/.well-known/openid-configuration"]
    }

    func addMetadata(to router: inout Router) {
        let page = ServerResponse(
            status: .ok, headers: Self.publicHeaders(JSON.mediaType), body: metadata.encoded())
        for path in Self.metadataPaths(of: issuer) {
            router.on(.get, path, synchronousHandler: { _ in page }, handler: { _ in page })
        }
        add(
            .get, Self.keySet, to: &router,
            synchronousHandler: { routes, _ in routes.services.signingKeys.publishedIfCached().map(Self.keys) },
            handler: { routes, _ in Self.keys(try await routes.services.signingKeys.published()) })
    }

    private static func keys(_ set: [UInt8]) -> ServerResponse {
        ServerResponse(
            status: .ok, headers: Self.publicHeaders("application/jwk-set+json"), body: set)
    }

    /// The header fields of documents that any page in any browser may read.
    ///
    /// Source: Fetch §3.3.3.
    private static func publicHeaders(_ mediaType: String) -> HTTPHeaders {
        ["Content-Type": mediaType, "Cache-Control": "max-age=300", "Access-Control-Allow-Origin": "*"]
    }

    /// The metadata of the authorization server.
    ///
    /// Source: RFC 8414 §2; OpenID Connect Discovery §3; RFC 8628 §4; RFC 9126 §5; RFC 9207 §3.
    private var metadata: JSONValue {
        let base = issuer + prefix
        let confidential: [JSONValue] = ["client_secret_basic", "client_secret_post", "private_key_jwt"]
        let methods = JSONValue.array(confidential + ["none"])
        let algorithms = JSONValue.array(SignatureAlgorithm.allCases.map { .string($0.rawValue) })
        let algorithm = services.settings.signingKeys.algorithm.rawValue
        let families: [JSONValue] = deviceDialects.keys.sorted().map { .string($0) }
        let registration: [JSONValue.Member] =
            services.settings.authorizationServer.registration.isEnabled
            ? [.init("registration_endpoint", .string(base + Self.registration))] : []
        return .object(
            registration + [
                .init("issuer", .string(issuer)),
                .init("authorization_endpoint", .string(base + Self.authorization)),
                .init("token_endpoint", .string(base + Self.token)),
                .init("pushed_authorization_request_endpoint", .string(base + Self.pushed)),
                .init("device_authorization_endpoint", .string(base + Self.deviceAuthorization)),
                .init("revocation_endpoint", .string(base + Self.revocation)),
                .init("introspection_endpoint", .string(base + Self.introspection)),
                .init("userinfo_endpoint", .string(base + Self.userInfo)),
                .init("end_session_endpoint", .string(base + Self.endSession)),
                .init("backchannel_logout_supported", true), .init("backchannel_logout_session_supported", true),
                .init("jwks_uri", .string(base + Self.keySet)),
                .init(
                    "scopes_supported", .array(supportedScopes.map { .string($0) })),
                .init("response_types_supported", ["code"]),
                .init(
                    "response_modes_supported",
                    .array(AuthorizationParameters.ResponseMode.allCases.map { .string($0.rawValue) })),
                .init("grant_types_supported", ["authorization_code", "refresh_token", .string(DeviceGrant.type)]),
                .init("subject_types_supported", ["public"]),
                .init("id_token_signing_alg_values_supported", [.string(algorithm)]),
                .init("token_endpoint_auth_methods_supported", methods),
                .init("revocation_endpoint_auth_methods_supported", methods),
                .init("introspection_endpoint_auth_methods_supported", .array(confidential)),
                .init("token_endpoint_auth_signing_alg_values_supported", algorithms),
                .init("revocation_endpoint_auth_signing_alg_values_supported", algorithms),
                .init("introspection_endpoint_auth_signing_alg_values_supported", algorithms),
                .init("code_challenge_methods_supported", [.string(PKCE.Challenge.method)]),
                .init("dpop_signing_alg_values_supported", .array(ProofVerifier.algorithms.map { .string($0) })),
                .init(
                    "prompt_values_supported",
                    .array(AuthorizationParameters.Prompt.allCases.map { .string($0.rawValue) })),
                .init(
                    "claims_supported",
                    [
                        "sub", "auth_time", "acr", "amr", "nonce", "sid", "name", "preferred_username", "email",
                        "email_verified", "groups",
                    ]),
                .init("acr_values_supported", .array(AuthenticationLevel.allCases.map { .string($0.rawValue) })),
                .init("authorization_response_iss_parameter_supported", true),
                .init("request_parameter_supported", false),
                .init("request_uri_parameter_supported", false),
                .init("claims_parameter_supported", false),
                .init(DeviceGrant.dialectsMember, .array(families)),
            ])
    }
}
