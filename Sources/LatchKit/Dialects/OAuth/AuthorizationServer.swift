import HTTPMessages
import OAuth
import OpenIDConnect

/// An authorization server, from its metadata.
///
/// Source: RFC 8414 §2; OpenID Connect Discovery §3.
struct AuthorizationServer: Sendable, Hashable {
    /// The issuer identifier, exactly as the server writes it.
    var issuer: String
    /// Where the metadata are.
    var metadata: OAuthEndpoint
    /// The endpoint that the person's browser opens.
    var authorization: OAuthEndpoint
    /// The endpoint that issues tokens.
    var token: OAuthEndpoint
    /// The endpoint that says who is signed in. Nil when there is none.
    var userInfo: OAuthEndpoint?
    /// The endpoint that revokes tokens. Nil when there is none.
    var revocation: OAuthEndpoint?
    /// The endpoint that registers clients. Nil when there is none.
    var registration: OAuthEndpoint?
    /// The endpoint that gives codes to devices without a browser. Nil when there is none. It is not stored.
    var deviceAuthorization: OAuthEndpoint?
    /// The families of a gateway that devices can sign in to. Empty at other servers. It is not stored.
    var deviceDialects: [String] = []
    /// The scopes that are requested. Empty when the server chooses them.
    var scopes: [String]
    /// Whether every authorization response contains the issuer as `iss`.
    var sendsIssuer: Bool
    /// Whether tokens are bound to a key of this device: the server accepts proofs that are signed with ES256.
    ///
    /// Source: RFC 9449 §5.1.
    var acceptsProofs: Bool

    /// The member of metadata with the algorithms of the proofs that a server accepts.
    ///
    /// Source: RFC 9449 §5.1.
    static let proofAlgorithms = "dpop_signing_alg_values_supported"

    /// The scopes of OpenID Connect that are requested where the server supports them.
    ///
    /// Source: OpenID Connect Core §5.4 and §11.
    static let wantedScopes = ["openid", "profile", "email", "offline_access"]

    /// Parses and validates metadata.
    ///
    /// - Parameters:
    ///   - body: The document.
    ///   - issuers: The accepted issuers. The document must name one of them, character by character.
    ///   - place: Where the document is.
    /// - Throws: ``LatchError/Code/unsupportedServer`` with the reason as the end of a sentence.
    ///
    /// Source: RFC 8414 §3.3; OpenID Connect Discovery §4.3.
    init(parsing body: [UInt8], of issuers: [String], at place: OAuthEndpoint) throws(LatchError) {
        guard let value = try? JSONValue(parsing: body, repairsText: false), value.members != nil else {
            throw Self.problem("its metadata are not a JSON object")
        }
        let document = MetadataDocument(value: value, allowsPlainText: !place.origin.isEncrypted)
        guard let issuer = try document.text("issuer"), issuers.contains(where: { $0.utf8.elementsEqual(issuer.utf8) })
        else { throw Self.problem("its metadata are those of another issuer") }
        guard let authorization = try document.endpoint("authorization_endpoint"),
            let token = try document.endpoint("token_endpoint")
        else { throw Self.problem("its metadata name no authorization endpoint or no token endpoint") }
        guard try document.texts("response_types_supported")?.contains("code") != false,
            try document.texts("grant_types_supported")?.contains("authorization_code") != false
        else { throw Self.problem("it does not support the authorization code flow") }
        guard try document.texts("code_challenge_methods_supported")?.contains("S256") != false else {
            throw Self.problem("it does not support PKCE with S256")
        }
        self.issuer = issuer
        self.metadata = place
        self.authorization = authorization
        self.token = token
        userInfo = try document.endpoint("userinfo_endpoint")
        revocation = try document.endpoint("revocation_endpoint")
        registration = try document.endpoint("registration_endpoint")
        deviceAuthorization = try document.endpoint("device_authorization_endpoint")
        deviceDialects = try document.texts(DeviceGrant.dialectsMember) ?? []
        sendsIssuer = try document.flag("authorization_response_iss_parameter_supported")
        acceptsProofs = try document.texts(Self.proofAlgorithms)?.contains(DPoPKey.algorithm) ?? false
        let supported = try document.texts("scopes_supported")
        // A server of OpenID Connect must support them all. Others may refuse a scope that they do not know.
        let isOpenID = try document.endpoint("jwks_uri") != nil || userInfo != nil
        scopes = Self.wantedScopes.filter { supported?.contains($0) ?? isOpenID }
    }

    /// Returns a new key for the tokens of a sign-in. Nil when the server binds no tokens.
    func proofKey() -> DPoPKey? { acceptsProofs ? try? DPoPKey() : nil }

    fileprivate static func problem(_ reason: String) -> LatchError { LatchError(.unsupportedServer, reason) }
}

/// The members of a metadata document, with their types checked.
private struct MetadataDocument {
    let value: JSONValue
    /// Whether endpoints on this machine may be unencrypted.
    let allowsPlainText: Bool

    func text(_ name: String) throws(LatchError) -> String? {
        guard let member = value[name], member != .null else { return nil }
        guard let text = member.string else {
            throw AuthorizationServer.problem("'\(name)' in its metadata is not a string")
        }
        return text
    }

    func texts(_ name: String) throws(LatchError) -> [String]? {
        guard let member = value[name], member != .null else { return nil }
        guard let elements = member.array, case let texts = elements.compactMap(\.string),
            texts.count == elements.count
        else { throw AuthorizationServer.problem("'\(name)' in its metadata is not an array of strings") }
        return texts
    }

    func flag(_ name: String) throws(LatchError) -> Bool {
        guard let member = value[name], member != .null else { return false }
        guard let flag = member.bool else {
            throw AuthorizationServer.problem("'\(name)' in its metadata is neither true nor false")
        }
        return flag
    }

    func endpoint(_ name: String) throws(LatchError) -> OAuthEndpoint? {
        guard let text = try text(name) else { return nil }
        guard let endpoint = OAuthEndpoint(text) else {
            throw AuthorizationServer.problem("'\(name)' in its metadata is not a web address")
        }
        guard endpoint.origin.isEncrypted || allowsPlainText && endpoint.origin.isLoopback else {
            throw AuthorizationServer.problem("'\(name)' in its metadata does not use https")
        }
        return endpoint
    }
}

/// The storage of an authorization server with an account. The names are those of the metadata.
extension AuthorizationServer {
    /// The entries to store.
    var details: [String: String] {
        var all = [
            "issuer": issuer, "metadata": metadata.url, "authorization_endpoint": authorization.url,
            "token_endpoint": token.url, "scope": scopes.joined(separator: " "),
        ]
        all["userinfo_endpoint"] = userInfo?.url
        all["revocation_endpoint"] = revocation?.url
        all["registration_endpoint"] = registration?.url
        if acceptsProofs { all[Self.proofAlgorithms] = DPoPKey.algorithm }
        if sendsIssuer { all["authorization_response_iss_parameter_supported"] = "true" }
        return all
    }

    /// Reads stored entries. Nil when a required one is missing or invalid.
    init?(details: [String: String]) {
        func endpoint(_ name: String) -> OAuthEndpoint? { details[name].flatMap(OAuthEndpoint.init) }
        guard let issuer = details["issuer"], let metadata = endpoint("metadata"),
            let authorization = endpoint("authorization_endpoint"), let token = endpoint("token_endpoint")
        else { return nil }
        self.issuer = issuer
        self.metadata = metadata
        self.authorization = authorization
        self.token = token
        userInfo = endpoint("userinfo_endpoint")
        revocation = endpoint("revocation_endpoint")
        registration = endpoint("registration_endpoint")
        scopes = (details["scope"] ?? "").split(separator: " ").map(String.init)
        acceptsProofs = details[Self.proofAlgorithms] != nil
        sendsIssuer = details["authorization_response_iss_parameter_supported"] != nil
    }
}
