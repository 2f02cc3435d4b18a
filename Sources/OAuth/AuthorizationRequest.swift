import HTTPMessages

/// The request that sends a person's browser to the server.
///
/// Source: RFC 6749 §4.1.1; RFC 7636 §4.3.
package struct AuthorizationRequest: Sendable {
    /// The client id at the server.
    package var clientID: String
    /// The redirect address for the response.
    package var redirect: String
    /// The requested scopes, separated by spaces. Nil leaves the choice to the server.
    package var scope: String?
    /// The value that ties the response to this request.
    package var state: State
    /// The PKCE challenge that ties the code to the client.
    package var challenge: PKCE.Challenge
    /// The value that ties an ID token to this request (OpenID Connect Core §3.1.2.1). Nil without OpenID Connect.
    package var nonce: String?
    /// Further parameters, in order.
    package var extra: [(String, String)] = []

    /// Makes a request.
    package init(
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

    /// Returns the URL to open. The endpoint's own query is preserved.
    ///
    /// - Throws: ``OAuthError`` with code ``OAuthError/Code/invalidAddress`` when the endpoint is not absolute or has a
    ///   fragment.
    ///
    /// Source: RFC 6749 §3.1.
    package func url(endpoint: String) throws(OAuthError) -> String {
        guard endpoint.hasPrefix("https://") || endpoint.hasPrefix("http://"), !endpoint.utf8.contains(35) else {
            throw OAuthError(.invalidAddress, "The authorization endpoint is not a web address; check the server.")
        }
        var pairs = [("response_type", "code"), ("client_id", clientID), ("redirect_uri", redirect)]
        if let scope { pairs.append(("scope", scope)) }
        pairs += [("state", state.text), ("code_challenge", challenge.text)]
        pairs.append(("code_challenge_method", PKCE.Challenge.method))
        if let nonce { pairs.append(("nonce", nonce)) }
        return endpoint + (endpoint.utf8.contains(63) ? "&" : "?") + FormURLEncoded.encode(pairs + extra)
    }
}
