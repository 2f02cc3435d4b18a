import HTTPMessages
import HTTPServer
import JOSE

extension ProviderCase {
    /// This project's own cases, which the Foundation's tests do not cover.
    static let own: [ProviderCase] = callbacks + signatures + claims + tokenAnswers + userInfoAnswers + documents

    private static let callbacks: [ProviderCase] = [
        ProviderCase("the code is there twice", .refusedAtCallback) {
            $0.callback = { $0.append((name: "code", value: "another")) }
        },
        ProviderCase("the issuer is there twice", .refusedAtCallback) {
            $0.callback = { $0.append((name: "iss", value: "https://other.example.org")) }
        },
        ProviderCase("the answer holds a code and an error", .refusedAtCallback) {
            $0.callback = { $0.append((name: "error", value: "access_denied")) }
        },
        ProviderCase("the answer holds neither a code nor an error", .refusedAtCallback) { script in
            script.callback = { pairs in pairs.removeAll { $0.name == "code" } }
        },
        ProviderCase("the code is empty", .refusedAtCallback) { script in
            script.callback = { $0 = $0.map { $0.name == "code" ? (name: "code", value: "") : $0 } }
        },
        ProviderCase("the person does not agree", .refusedAtCallback) { script in
            script.callback = { pairs in
                pairs = pairs.map { $0.name == "code" ? (name: "error", value: "access_denied") : $0 }
            }
        },
        ProviderCase("the error comes from another issuer", .refusedAtCallback) { script in
            script.callback = { pairs in
                pairs =
                    [(name: "error", value: "access_denied"), (name: "iss", value: "https://other.example.org")]
                    + pairs.filter { $0.name == "state" }
            }
        },
        ProviderCase("the issuer is named without an announcement, and is another", .refusedAtCallback) { script in
            script.discovery = { $0["authorization_response_iss_parameter_supported"] = nil }
            script.callback = { $0 = $0.map { $0.name == "iss" ? (name: "iss", value: "https://a.example") : $0 } }
        },
        ProviderCase("the issuer is neither announced nor named", .signedIn) { script in
            script.discovery = { $0["authorization_response_iss_parameter_supported"] = nil }
            script.callback = { pairs in pairs.removeAll { $0.name == "iss" } }
        },
        ProviderCase("the code was never given", .refusedAtExchange) { script in
            script.callback = { $0 = $0.map { $0.name == "code" ? (name: "code", value: "guessed") : $0 } }
        },
    ]

    private static let signatures: [ProviderCase] = [
        ProviderCase("the key that signs is published nowhere", .refusedAtExchange) { $0.signing = .otherKey },
        ProviderCase("the published key is the secret of HS256", .refusedAtExchange) {
            $0.signing = .publicKeyAsSecret
            $0.discovery = { $0["id_token_signing_alg_values_supported"] = ["RS256", "HS256"] }
        },
        ProviderCase("the token is signed by ES256, which is announced", .signedIn) {
            $0.signing = .elliptic
            $0.discovery = { $0["id_token_signing_alg_values_supported"] = ["RS256", "ES256"] }
        },
        ProviderCase("the token is signed by PS256, which is announced", .signedIn) {
            $0.signing = .alternate
            $0.discovery = { $0["id_token_signing_alg_values_supported"] = ["RS256", "PS256"] }
        },
        ProviderCase("the header says RS256 under the name of a key of P-256", .refusedAtExchange) {
            $0.header = { $0["kid"] = "elliptic" }
        },
        ProviderCase("the key is published for encryption", .refusedAtExchange) {
            $0.publishedKey = { $0["use"] = "enc" }
        },
        ProviderCase("the header asks for an extension", .refusedAtExchange) {
            $0.header = { $0["crit"] = ["exp"] }
        },
        ProviderCase("the header brings a key of its own", .refusedAtExchange) {
            $0.signing = .otherKey
            $0.header = {
                $0["jwk"] = (try? ProviderKeys.unpublished.get().publicJSON) ?? .null
                $0["jku"] = "http://127.0.0.1:9/keys"
            }
        },
        ProviderCase("the token is an access token", .refusedAtExchange) { $0.header = { $0["typ"] = "at+jwt" } },
        ProviderCase("the token is a logout token", .refusedAtExchange) { $0.header = { $0["typ"] = "logout+jwt" } },
        ProviderCase("the key set is empty", .refusedAtExchange) {
            $0.replacements["/keys"] = { _ in .json(["keys": []] as JSONValue) }
        },
    ]

    private static let claims: [ProviderCase] = [
        ProviderCase("the authorized party is another", .refusedAtExchange) { $0.claims = { $0["azp"] = "another" } },
        ProviderCase("the authorized party is this client", .signedIn) {
            $0.claims = { $0["azp"] = .string(ScriptedProvider.clientID) }
        },
        ProviderCase("the audience is empty", .refusedAtExchange) { $0.claims = { $0["aud"] = [] } },
        ProviderCase("the audience holds a number", .refusedAtExchange) {
            $0.claims = { $0["aud"] = [$0["aud"] ?? "", 1] }
        },
        ProviderCase("the token expired within the clock's tolerance", .signedIn) {
            $0.claims = { $0["exp"] = .number(($0["iat"]?.number ?? 0) - 59) }
        },
        ProviderCase("the token expired at the end of the clock's tolerance", .refusedAtExchange) {
            $0.claims = { $0["exp"] = .number(($0["iat"]?.number ?? 0) - 60) }
        },
        ProviderCase("the token comes from within the clock's tolerance", .signedIn) {
            $0.claims = { $0["iat"] = .number(($0["iat"]?.number ?? 0) + 60) }
        },
        ProviderCase("the token comes from the future", .refusedAtExchange) {
            $0.claims = { $0["iat"] = .number(($0["iat"]?.number ?? 0) + 61) }
        },
        ProviderCase("the token is not valid yet", .refusedAtExchange) {
            $0.claims = { $0["nbf"] = .number(($0["iat"]?.number ?? 0) + 61) }
        },
        ProviderCase("the expiry is a text", .refusedAtExchange) { $0.claims = { $0["exp"] = "9999999999" } },
        ProviderCase("the nonce is null", .refusedAtExchange) { $0.claims = { $0["nonce"] = .null } },
        ProviderCase("the subject is empty", .refusedAtExchange) { $0.claims = { $0["sub"] = "" } },
        ProviderCase("the subject is a number", .refusedAtExchange) { $0.claims = { $0["sub"] = 7 } },
        ProviderCase("the subject is too long", .refusedAtExchange) {
            $0.claims = { $0["sub"] = .string(String(repeating: "a", count: 256)) }
        },
        ProviderCase("the claims are no object", .refusedAtExchange) {
            $0.tokens = { $0["id_token"] = "eyJhbGciOiJSUzI1NiJ9.W10.AAAA" }
        },
    ]

    private static let tokenAnswers: [ProviderCase] = [
        ProviderCase("there is no ID token", .refusedAtExchange) { $0.tokens = { $0["id_token"] = nil } },
        ProviderCase("there is no access token", .refusedAtExchange) { $0.tokens = { $0["access_token"] = nil } },
        ProviderCase("there is no token type", .refusedAtExchange) { $0.tokens = { $0["token_type"] = nil } },
        ProviderCase("the token type is another", .refusedAtExchange) { $0.tokens = { $0["token_type"] = "mac" } },
        ProviderCase("the ID token is encrypted", .refusedAtExchange) { $0.tokens = { $0["id_token"] = "a.b.c.d.e" } },
        ProviderCase("the token endpoint redirects", .refusedAtExchange) {
            $0.replacements["/token"] = { _ in redirect }
        },
        ProviderCase("the token endpoint answers with a page", .refusedAtExchange) {
            $0.replacements["/token"] = { _ in page }
        },
        ProviderCase("the token endpoint sends too much", .refusedAtExchange) {
            $0.paddedPath = "/token"
        },
        ProviderCase("the token endpoint is out of order", .refusedAtExchange) {
            $0.replacements["/token"] = { _ in ServerResponse(status: .serviceUnavailable) }
        },
    ]

    private static let userInfoAnswers: [ProviderCase] = [
        ProviderCase("UserInfo redirects", .refusedAtUserInfo) { $0.replacements["/userinfo"] = { _ in redirect } },
        ProviderCase("UserInfo answers with a page", .refusedAtUserInfo) {
            $0.replacements["/userinfo"] = { _ in page }
        },
        ProviderCase("UserInfo sends too much", .refusedAtUserInfo) { $0.paddedPath = "/userinfo" },
        ProviderCase("UserInfo refuses", .refusedAtUserInfo) {
            $0.replacements["/userinfo"] = { _ in ServerResponse(status: .unauthorized) }
        },
        ProviderCase("UserInfo has no subject", .refusedAtUserInfo) { $0.userInfo = { $0["sub"] = nil } },
        ProviderCase("UserInfo is signed for another", .refusedAtUserInfo) {
            $0.userInfoSigning = .right
            $0.userInfo = { $0["aud"] = "another" }
        },
        ProviderCase("UserInfo is signed by another issuer", .refusedAtUserInfo) {
            $0.userInfoSigning = .right
            $0.userInfo = { $0["iss"] = "https://other.example.org" }
        },
        ProviderCase("UserInfo is signed about somebody else", .refusedAtUserInfo) {
            $0.userInfoSigning = .right
            $0.userInfo = { $0["sub"] = "another" }
        },
        ProviderCase("UserInfo is signed by nobody", .refusedAtUserInfo) {
            $0.userInfoSigning = ProviderScript.Signing.none
        },
        ProviderCase("UserInfo is signed with a broken signature", .refusedAtUserInfo) { $0.userInfoSigning = .broken },
        ProviderCase("UserInfo is signed by another key", .refusedAtUserInfo) { $0.userInfoSigning = .otherKey },
        ProviderCase("UserInfo is signed by the client's secret", .refusedAtUserInfo) {
            $0.userInfoSigning = .sharedSecret
        },
    ]

    private static let documents: [ProviderCase] = [
        ProviderCase("the discovery document is a page", .refusedBeforehand) {
            $0.replacements["/.well-known/openid-configuration"] = { _ in page }
        },
        ProviderCase("the discovery document is too large", .refusedBeforehand) {
            $0.paddedPath = "/.well-known/openid-configuration"
        },
        ProviderCase("the discovery document is elsewhere", .refusedBeforehand) {
            $0.replacements["/.well-known/openid-configuration"] = { _ in redirect }
        },
        ProviderCase("the discovery document names no issuer", .refusedBeforehand) {
            $0.discovery = { $0["issuer"] = nil }
        },
        ProviderCase("the discovery document names a token endpoint out in the world without TLS", .refusedBeforehand) {
            $0.discovery = { $0["token_endpoint"] = "http://example.org/token" }
        },
        ProviderCase("the discovery document names an authorization endpoint that is a script", .refusedBeforehand) {
            $0.discovery = { $0["authorization_endpoint"] = "javascript:alert(1)" }
        },
        ProviderCase("the discovery document has no code flow", .refusedBeforehand) {
            $0.discovery = { $0["response_types_supported"] = ["id_token"] }
        },
        ProviderCase("the keys are elsewhere", .refusedAtExchange) { $0.replacements["/keys"] = { _ in redirect } },
        ProviderCase("the keys are a page", .refusedAtExchange) { $0.replacements["/keys"] = { _ in page } },
        ProviderCase("the keys are too many bytes", .refusedAtExchange) { $0.paddedPath = "/keys" },
    ]

    private static let redirect = ServerResponse(
        status: HTTPStatus(rawValue: 307), headers: ["Location": "/elsewhere"])
    private static let page = ServerResponse(
        headers: ["Content-Type": "text/html"], body: Array("<!doctype html><title>Welcome</title>".utf8))
}
