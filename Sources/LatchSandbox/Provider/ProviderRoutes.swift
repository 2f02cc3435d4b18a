import HTTPMessages
import HTTPServer
import JOSE

/// The endpoints of the provider.
///
/// Source: OpenID Connect Discovery §3 and §4; RFC 7517 §5.
struct ProviderRoutes: Sendable {
    let issuerAddress: Issuer
    let configuration: DevelopmentProvider.Configuration
    let keys: ProviderKeys
    let grants: Grants

    enum Path {
        static let discovery = "/.well-known/openid-configuration"
        static let keys = "/jwks"
        static let authorize = "/authorize"
        static let token = "/token"
        static let userInfo = "/userinfo"
    }

    var issuer: String { issuerAddress.url }

    func add(to router: inout Router) {
        let keySet = Self.json(keys.set, ["Cache-Control": "max-age=60"])
        router.on(.get, Path.discovery) { _ in Self.json(metadata, ["Cache-Control": "max-age=60"]) }
        router.on(.get, Path.keys) { _ in keySet }
        router.on(.get, Path.authorize) { authorize($0) }
        router.on(.post, Path.authorize) { authorizePosted($0) }
        router.on(.post, Path.token) { await token($0) }
        router.on(.get, Path.userInfo) { userInfo($0) }
        router.on(.post, Path.userInfo) { userInfo($0) }
    }

    private var metadata: JSONValue {
        let algorithms = keys.algorithms.map { JSONValue.string($0.rawValue) }
        return [
            "issuer": .string(issuer),
            "authorization_endpoint": .string(issuer + Path.authorize),
            "token_endpoint": .string(issuer + Path.token),
            "userinfo_endpoint": .string(issuer + Path.userInfo),
            "jwks_uri": .string(issuer + Path.keys),
            "scopes_supported": ["openid", "email", "profile"],
            "response_types_supported": ["code"],
            "response_modes_supported": ["query", "form_post"],
            "grant_types_supported": ["authorization_code"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": .array(algorithms),
            "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post", "none"],
            "claims_supported": [
                "iss", "sub", "aud", "exp", "iat", "auth_time", "nonce", "at_hash", "sid", "email", "email_verified",
                "name", "preferred_username",
            ],
            "prompt_values_supported": ["none", "login", "consent", "select_account"],
            "code_challenge_methods_supported": ["S256"],
            "authorization_response_iss_parameter_supported": true,
            "claims_parameter_supported": false,
            "request_parameter_supported": false,
            "request_uri_parameter_supported": false,
        ]
    }

    static func json(
        _ value: JSONValue, _ headers: HTTPHeaders = ["Cache-Control": "no-store"], status: HTTPStatus = .ok
    ) -> ServerResponse {
        var response = ServerResponse.json(value, status: status)
        for field in headers { response.headers.append(field.name, field.value) }
        return response
    }
}
