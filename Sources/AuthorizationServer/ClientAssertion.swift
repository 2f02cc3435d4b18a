import Crypto
import FoundationEssentials
import GatewayCore
import GatewayHTTP
import HTTPMessages
import HTTPServer
import JOSE
import Primitives
import SignInBridge

/// A statement that a client signed to authenticate, `private_key_jwt`. It is not trusted until ``isSigned(by:)`` has
/// returned true.
///
/// Source: RFC 7523 §2.2 and §3; OpenID Connect Core §9.
struct ClientAssertion: Sendable {
    /// The `client_assertion_type`.
    static let type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
    /// The maximum time until an assertion expires, which Authlib uses by default. Its id is stored as long.
    static let maximumLifetime = GatewayServices.maximumAssertionLifetime

    private static let maximumCount = 4_096
    private static let maximumIDCount = 255
    private static let context = "latchstring client assertion 1\n"
    /// The types that a client may write. Another signed text, such as a logout token, is no assertion.
    private static let types: Set = ["jwt", "client-authentication+jwt"]

    /// The client that the assertion names.
    let client: String
    /// The servers that it is for, `aud`: at least one.
    let audiences: [String]
    /// When the assertion expires, including the difference that clocks may have.
    let expires: Date
    /// The key under which the assertion's id is stored.
    let key: SHA256Digest
    private let signature: JSONWebSignature

    /// Checks everything except the audience and the signature. Nil when something is wrong.
    ///
    /// - Parameters:
    ///   - text: The assertion.
    ///   - now: The current time.
    init?(_ text: String, now: Date) {
        guard text.utf8.count <= Self.maximumCount, let signature = try? JSONWebSignature(parsing: text),
            Self.types.contains(signature.header.type?.lowercased() ?? "jwt"),
            let claims = try? JSONValue(parsing: signature.payload, repairsText: false),
            let client = claims["iss"]?.string, (1...255).contains(client.utf8.count),
            let subject = claims["sub"]?.string, ExactText(subject) == ExactText(client),
            let id = claims["jti"]?.string, (1...Self.maximumIDCount).contains(id.utf8.count),
            let audiences = Self.audiences(claims["aud"]), let expiry = claims["exp"]?.number
        else { return nil }
        let (seconds, skew) = (now.timeIntervalSince1970, ClockDifference.tolerated.seconds)
        guard seconds < expiry + skew, expiry <= seconds + Self.maximumLifetime.seconds + skew else { return nil }
        for name in ["iat", "nbf"] {
            guard let time = claims[name] else { continue }
            guard let time = time.number, time <= seconds + skew else { return nil }
        }
        self.client = client
        self.audiences = audiences
        self.signature = signature
        expires = Date(timeIntervalSince1970: expiry + skew)
        // 0xFF occurs in no text, so no code or handle that somebody sends has the same key in a common store.
        key = SHA256.digest([0xFF] + Array((Self.context + client + "\n" + id).utf8))
    }

    /// Returns the audiences of a claim: one text, or a list of texts. Nil for anything else.
    ///
    /// Source: RFC 7519 §4.1.3.
    private static func audiences(_ claim: JSONValue?) -> [String]? {
        if let text = claim?.string { return [text] }
        guard let list = claim?.array, (1...8).contains(list.count) else { return nil }
        let texts = list.compactMap(\.string)
        return texts.count == list.count ? texts : nil
    }

    /// Whether one of the keys signed the assertion. At most ``JSONWebKeySet/maximumTries`` are tried; `onTry` is called
    /// before each.
    func isSigned(by keys: ClientKeys, onTry: () -> Void = {}) -> Bool { keys.set.isSigned(signature, onTry: onTry) }
}

extension OAuthRoutes {
    /// Authenticates a client by an assertion, which is then used up.
    ///
    /// - Parameters:
    ///   - id: The `client_id` of the form, which may be missing.
    ///   - text: The assertion.
    ///   - type: The `client_assertion_type`.
    ///   - request: The request, which counts for the client when the signature is valid.
    /// - Returns: The client.
    /// - Throws: ``Refusal``, also when the client has no requests left: before the signature is verified, and before the
    ///   assertion is used up. Errors of the stores.
    func client(
        _ id: String?, assertion text: String, _ type: String?, _ request: ServerRequest
    ) async throws -> RegisteredClient {
        let now = services.now()
        guard type == ClientAssertion.type, let assertion = ClientAssertion(text, now: now),
            id.map({ ExactText($0) == ExactText(assertion.client) }) ?? true,
            let client = try await services.clients.client(assertion.client), let keys = client.keys,
            areAudiences(assertion.audiences, of: client, at: request.path)
        else { throw Refusal(response: TokenResponses.invalidClient) }
        let (kind, caller) = limit(of: client, request)
        if let wait = services.limits.wait(kind, caller) { throw Refusal(response: tooMany(request, wait: wait)) }
        guard assertion.isSigned(by: keys, onTry: { services.metrics.signature(.assertion) }) else {
            throw Refusal(response: TokenResponses.invalidClient)
        }
        try consume(kind, caller, request)
        let rest = Duration.seconds(assertion.expires.timeIntervalSince(now))
        // Anybody can register many clients, so these share what their address has.
        let user: UsedIDs.User =
            client.registration == nil
            ? .client(client.id) : .address(AddressKey(services.proxies.client(of: request)))
        guard try await assertions.record(assertion.key, of: user, for: rest) else {
            throw Refusal(response: TokenResponses.invalidClient)
        }
        return client
    }

    /// Whether an assertion of a client is for this server only: each of its audiences is the issuer, the address of the
    /// token endpoint, or that of the endpoint of the request. If another server were among them, it could have received
    /// the assertion and use it here.
    ///
    /// Libraries send the addresses of endpoints, and some specifications name them. A client with keys for two servers
    /// should send the issuer: a hostile server can name the address of an endpoint here as one of its own and get an
    /// assertion for it. So only the issuer is allowed for a client that must prove its key.
    ///
    /// Source: RFC 7523 §3; RFC 9126 §2; OpenID Connect Core §9; draft-ietf-oauth-rfc7523bis; FAPI 2.0 Security Profile
    /// §5.3.2.1.
    private func areAudiences(_ audiences: [String], of client: RegisteredClient, at path: String) -> Bool {
        let endpoints = client.requiresProof ? [] : [issuer + prefix + Self.token, issuer + path]
        let own = Set(([issuer] + endpoints).map(ExactText.init))
        return audiences.allSatisfy { own.contains(ExactText($0)) }
    }
}
