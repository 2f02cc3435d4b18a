import Crypto
package import FoundationEssentials
import HTTPClient
import HTTPMessages
import OAuth

/// The dialect of every server that people sign in to with OAuth 2.1 or OpenID Connect, and of every address that such a
/// server protects.
///
/// Requests for sign-in, renewal, identity and sign-out go to the endpoints of the authorization server. All other
/// requests go to the account's address. The access token is sent to these two only, and the refresh token to the token
/// endpoint and the revocation endpoint only.
///
/// Source: draft-ietf-oauth-v2-1; OpenID Connect Core; RFC 8414; RFC 9728; docs/sign-in-to-oauth-servers.md.
package struct OAuthDialect: Dialect {
    /// How long before its expiry a token is renewed, in seconds. At the earliest after half of its lifetime.
    static let refreshMargin: TimeInterval = 120
    // Ten years, in seconds. A longer lifetime is taken for an error and cut to this.
    private static let longestLifetime = Duration.seconds(315_360_000)

    /// The authorization server. Nil before one was found.
    var server: AuthorizationServer?
    /// The protected resource for which tokens are requested, as its metadata write it. Nil when the account's address
    /// is the authorization server itself.
    var resource: String?
    /// The client of this device at the authorization server. Nil before a sign-in.
    var client: OAuthClient?
    /// Whether the session has a refresh token.
    var hasRefreshToken = false
    /// The person, when the server has no userinfo endpoint. Nil when it has one, and before a sign-in.
    var person: Identity?

    /// Makes the dialect.
    package init() {}

    /// `oauth`.
    package var id: DialectID { .oauth }
    /// `OAuth`.
    package var title: String { "OAuth" }

    /// The endpoints, the client id and the resource, under their names in the RFCs.
    package var details: [String: String] {
        guard var all = server?.details else { return [:] }
        all["resource"] = resource
        all["client_id"] = client?.id
        all["redirect_uri"] = client?.redirect
        if hasRefreshToken { all["grant_type"] = Self.refreshTokenGrant }
        all["sub"] = person?.id
        all["email"] = person?.email
        all["name"] = person?.name
        return all
    }

    /// Returns the dialect of a server with stored ``details``.
    package func with(details: [String: String]) -> any Dialect {
        var dialect = OAuthDialect()
        dialect.server = AuthorizationServer(details: details)
        dialect.resource = details["resource"]
        if let id = details["client_id"] { dialect.client = OAuthClient(id: id, redirect: details["redirect_uri"]) }
        dialect.hasRefreshToken = details["grant_type"] == Self.refreshTokenGrant
        if let subject = details["sub"], let email = details["email"] {
            dialect.person = Identity(id: subject, email: email, name: details["name"])
        }
        return dialect
    }

    /// The request for the server's metadata.
    package var probe: DialectRequest {
        server?.metadata.request() ?? DialectRequest(.get, Self.wellKnown, headers: ["Accept": JSON.mediaType])
    }

    /// Recognizes the authorization server by its issuer.
    package func match(_ response: ClientResponse) -> ServerMatch {
        guard let server, response.status.isSuccess, let value = try? JSONValue(parsing: response.body),
            value["issuer"]?.string == server.issuer
        else {
            return .notRecognized(
                "its response to \(probe.path) is not its metadata (\(InterceptedResponse.summary(response)))")
        }
        return .server(Self.features)
    }

    /// The part of the metadata's URL between the host and the path of the issuer.
    static let wellKnown = "/.well-known/oauth-authorization-server"

    static let features = ServerFeatures(signsInWithPassword: false, signsInWithBrowser: true)

    /// The request that asks who is signed in. It goes to the userinfo endpoint, or without one to the address that the
    /// token is for.
    ///
    /// Source: OpenID Connect Core §5.3.1.
    package var identity: DialectRequest {
        if let endpoint = server?.userInfo { return endpoint.request() }
        if let endpoint = OAuthEndpoint(resource ?? server?.issuer ?? "") { return endpoint.request() }
        return DialectRequest(.get, "/")
    }

    /// Reads `sub`, `email`, `name` and `preferred_username`. Without a userinfo endpoint, returns the person whom the ID
    /// token named.
    ///
    /// Source: OpenID Connect Core §5.1 and §5.3.2.
    package func identity(from response: ClientResponse) -> Identity? {
        guard server?.userInfo != nil else { return response.status == .unauthorized ? nil : person }
        guard response.status.isSuccess, let claims = try? JSONValue(parsing: response.body),
            let subject = claims["sub"]?.string, !subject.isEmpty, let email = claims["email"]?.string
        else { return nil }
        let names = ["name", "preferred_username"].compactMap { claims[$0]?.string }
        return Identity(id: subject, email: email, name: names.first { !$0.isEmpty })
    }

    /// Returns `Authorization: Bearer` with the token.
    package func authorization(_ token: Secret) -> HTTPHeaders { ["Authorization": "Bearer " + token.reveal()] }

    /// The request that renews a token with the refresh token. Nil without a refresh token.
    ///
    /// Source: RFC 6749 §6; RFC 8707 §2.2.
    package var refresh: DialectRequest? {
        guard hasRefreshToken, let server, let client else { return nil }
        var request = server.token.post(
            [("grant_type", Self.refreshTokenGrant), ("client_id", client.id)] + resourceParameter)
        request.tokenField = Self.refreshTokenGrant
        return request
    }

    /// The parameter that names the resource for which a token is requested.
    var resourceParameter: [(String, String)] { resource.map { [("resource", $0)] } ?? [] }

    private static let refreshTokenGrant = "refresh_token"

    /// Reads a token response. Returns nil when a member is missing or invalid.
    ///
    /// Source: RFC 6749 §5.1.
    package func renewal(from response: ClientResponse) -> Grant? { tokens(in: response).map(grant) }

    /// Returns the tokens of a response. Nil when it has none, or one with other characters than RFC 6749 allows.
    /// `allowsBound` is whether they may be bound to a key although the metadata do not say so.
    ///
    /// Source: RFC 6749 appendices A.12 and A.17.
    func tokens(in response: ClientResponse, allowsBound: Bool = false) -> TokenResponse? {
        let allowsBound = allowsBound || server?.acceptsProofs == true
        guard response.status.isSuccess,
            let tokens = try? TokenResponse(parsing: response.body, allowsBound: allowsBound),
            ([tokens.accessToken] + [tokens.refreshToken].compactMap(\.self)).allSatisfy(Self.isToken)
        else { return nil }
        return tokens
    }

    private static func isToken(_ token: Secret) -> Bool {
        token.withBytes { !$0.isEmpty && $0.allSatisfy { (0x21...0x7E).contains($0) } }
    }

    func grant(_ tokens: TokenResponse) -> Grant {
        let lifetime = tokens.expiresIn.flatMap { $0 > .zero ? min($0, Self.longestLifetime) : nil }
        return Grant(token: tokens.accessToken, refreshToken: tokens.refreshToken, lifetime: lifetime)
    }

    /// Returns ``refreshMargin`` before the expiry, but not before half of the remaining time. The distant future when
    /// the expiry is not known; then the token is renewed when it is rejected.
    package func refreshDate(now: Date, expires: Date?) -> Date {
        guard hasRefreshToken, let expires else { return .distantFuture }
        let left = max(expires.timeIntervalSince(now), 0)
        return now.addingTimeInterval(max(left - Self.refreshMargin, left / 2))
    }

    /// Returns the request that revokes the refresh token, or the access token when there is none. Nil when the server
    /// revokes no tokens.
    ///
    /// Source: RFC 7009 §2.1.
    package func signOut(keyID: String?) -> DialectRequest? {
        guard let endpoint = server?.revocation, let client else { return nil }
        let hint = hasRefreshToken ? Self.refreshTokenGrant : "access_token"
        var request = endpoint.post([("client_id", client.id), ("token_type_hint", hint)])
        request.tokenField = "token"
        return request
    }

    /// Returns the `error_description` or the `error` of a response.
    ///
    /// Source: RFC 6749 §5.2.
    package func errorMessage(in response: ClientResponse) -> String? {
        guard let value = try? JSONValue(parsing: response.body) else { return nil }
        let texts = [value["error_description"]?.string, value["error"]?.string].compactMap(\.self)
        return texts.first { !$0.isEmpty }
    }
}

/// A client that an authorization server knows.
struct OAuthClient: Sendable, Hashable {
    /// The client id.
    var id: String
    /// The redirect address for which it was used, without a port. Nil when that is not known.
    var redirect: String?
}
