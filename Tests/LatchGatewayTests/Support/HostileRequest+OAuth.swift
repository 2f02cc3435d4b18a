import Crypto
import FoundationEssentials
import GatewayHTTP
import HTTPMessages
import JOSE

@testable import GatewayCore

/// Costly requests for the authorization server's own endpoints, of clients that ``GatewaySettings/serveEverything()``
/// adds.
extension HostileRequest {
    /// As many RSA keys as a client may have, each as large as is accepted, none of which anybody knows the other half
    /// of.
    static let largestKeys: JSONValue = .object([
        .init(
            "keys",
            .array(
                (0..<ClientKeys.maximumCount).map { number in
                    let modulus = [UInt8](repeating: 0xFF, count: 511) + [0xFF - UInt8(2 * number)]
                    return .object([
                        .init("kty", "RSA"), .init("n", .string(Base64URL.encode(modulus))),
                        .init("e", .string(Base64URL.encode([UInt8](repeating: 0xFF, count: 4)))),
                    ])
                }))
    ])

    private static let size = DialectRouter.largestUnknownBody

    /// The start of an authorization request without mistakes.
    private static let request = FormURLEncoded.encode([
        ("client_id", "app"), ("redirect_uri", "com.example.app:/callback"), ("response_type", "code"),
        ("code_challenge_method", "S256"), ("code_challenge", String(repeating: "x", count: 43)),
    ])

    /// The names and values of parameters that are read after the client is known.
    private static let parameters: [(String, String, String)] = [
        ("scopes", "&scope=openid", "+openid"), ("unknown scopes", "&scope=a", "+a"),
        ("prompts", "&prompt=login", "+login"), ("levels", "&acr_values=multi-factor", "+multi-factor"),
        ("resources", "", "&resource=https://app.example.org/"),
        ("a long resource", "&resource=https://app.example.org", "/a"), ("a long state", "&state=", "x"),
        ("a long age", "&max_age=1", "0"), ("a state of marks", "&state=e", "%CC%81%CC%96"),
    ]

    /// The queries of an authorization request or a sign-out.
    static let queries: [(String, String)] =
        parameters.map { ($0.0, String(decoding: fill(largestField, request + $0.1, $0.2, ""), as: UTF8.self)) }
        + signedTexts(largestField - request.utf8.count - 40).map {
            ("a hint of \($0.0)", "\(request)&id_token_hint=\($0.1)")
        }

    /// The forms of clients. `now` is the time of assertions.
    static func forms(at now: Date) -> [(String, [UInt8])] {
        let grants: [(String, String)] = [
            ("a long code", "grant_type=authorization_code&code_verifier=x&code="),
            ("a long verifier", "grant_type=authorization_code&code=x&code_verifier="),
            ("a long refresh token", "grant_type=refresh_token&refresh_token="), ("a long token", "token="),
        ]
        let seconds = now.timeIntervalSince1970.rounded()
        let claims: JSONValue = .object([
            .init("iss", "signed"), .init("sub", "signed"), .init("aud", "http://127.0.0.1"), .init("jti", "x"),
            .init("exp", .number(seconds + 120)),
        ])
        let signed =
            Base64URL.encode(Array(#"{"alg":"RS256"}"#.utf8)) + "." + Base64URL.encode(claims.encoded()) + "."
            + Base64URL.encode([UInt8](repeating: 0x7F, count: 512))
        let texts = [("the largest keys", signed)] + signedTexts(3_900) + signedTexts(size - 200)
        let type = FormURLEncoded.encode([
            ("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
        ])
        return parameters.map { ($0.0, fill(size, request + $0.1, $0.2, "")) }
            + grants.map { ($0.0, fill(size, "client_id=app&" + $0.1, "x", "")) }
            + texts.map { ("an assertion of \($0.0)", Array("\(type)&client_assertion=\($0.1)".utf8)) }
            + signedTexts(size - 400).map { ("a hint of \($0.0)", Array("\(request)&id_token_hint=\($0.1)".utf8)) }
    }

    /// The metadata of clients that register themselves.
    static let registrations: [(String, [UInt8])] = {
        let start = #"{"token_endpoint_auth_method":"private_key_jwt","redirect_uris":["a:/b"],"#
        let key = (try? SigningKey.generate(.es256)).map { String(decoding: $0.publicJSON.encoded(), as: UTF8.self) }
        return [
            ("large keys", Array("\(start)\"jwks\":\(String(decoding: largestKeys.encoded(), as: UTF8.self))}".utf8)),
            ("many keys", fill(size, start + #""jwks":{"keys":[\#(key ?? "")"#, "," + (key ?? ""), "]}}")),
            ("no keys", fill(size, start + #""jwks":{"keys":[{}"#, ",{}", "]}}")),
            ("redirects", fill(size, #"{"redirect_uris":["a:/b""#, #","a:/b""#, "]}")),
            ("a long redirect", fill(size, #"{"redirect_uris":["https://a/"#, "a/", #""]}"#)),
            ("a name of marks", fill(size, #"{"redirect_uris":["a:/b"],"client_name":"e"#, marks, #""}"#)),
            ("grants", fill(size, #"{"redirect_uris":["a:/b"],"grant_types":["a""#, #","a""#, "]}")),
        ]
    }()
}
