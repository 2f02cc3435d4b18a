import Wire

/// The request that sends a person's browser to the server.
///
/// Source: RFC 6749 §4.1.1; RFC 7636 §4.3.
public struct AuthorizationRequest: Sendable {
    /// The client's name at the server.
    public var clientID: String
    /// Where the answer shall come.
    public var redirect: String
    /// What is asked for, space-separated; nil leaves it to the server.
    public var scope: String?
    /// Ties the answer to this request.
    public var state: State
    /// Ties the code to its asker.
    public var challenge: PKCE.Challenge
    /// Ties an ID token to this request (OpenID Connect Core §3.1.2.1).
    public var nonce: String?
    /// Further parameters, in order.
    public var extra: [(String, String)] = []

    /// Makes a request.
    public init(
        clientID: String, redirect: String, scope: String? = nil, state: State, challenge: PKCE.Challenge,
        nonce: String? = nil
    ) {
        self.clientID = clientID
        self.redirect = redirect
        self.scope = scope
        self.state = state
        self.challenge = challenge
        self.nonce = nonce
    }

    /// The address to open; the endpoint's own query stays.
    ///
    /// - Throws: ``OAuthError`` with code ``OAuthError/Code/invalidAddress`` for an endpoint that is not absolute or has
    ///   a fragment.
    ///
    /// Source: RFC 6749 §3.1.
    public func url(endpoint: String) throws(OAuthError) -> String {
        guard endpoint.hasPrefix("https://") || endpoint.hasPrefix("http://"), !endpoint.utf8.contains(35) else {
            throw OAuthError(.invalidAddress, "The authorization endpoint is no web address; check the server.")
        }
        var pairs = [("response_type", "code"), ("client_id", clientID), ("redirect_uri", redirect)]
        if let scope { pairs.append(("scope", scope)) }
        pairs += [("state", state.text), ("code_challenge", challenge.text)]
        pairs.append(("code_challenge_method", PKCE.Challenge.method))
        if let nonce { pairs.append(("nonce", nonce)) }
        return endpoint + (endpoint.utf8.contains(63) ? "&" : "?") + FormURLEncoded.encode(pairs + extra)
    }
}
