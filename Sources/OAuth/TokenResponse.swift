package import Crypto
import HTTPMessages

/// The successful response of a token endpoint.
///
/// Source: RFC 6749 §5.1.
package struct TokenResponse: Sendable, Equatable {
    /// The access token.
    package let accessToken: Secret
    /// Whether the access token is bound to the client's key, so that it is used with a proof of possession.
    package let isBound: Bool
    /// How long the access token is valid. Nil when the server does not say.
    package let expiresIn: Duration?
    /// The refresh token. Nil when the server issued none.
    package let refreshToken: Secret?
    /// The granted scopes, if they differ from the requested ones.
    package let scope: String?
    /// The ID token of OpenID Connect. Nil when the server issued none.
    package let idToken: Secret?

    /// Parses the body of a response.
    ///
    /// - Parameters:
    ///   - body: The body.
    ///   - allowsBound: Whether the token type may also be `DPoP`. Only a client that sent a proof gets such a token.
    /// - Throws: ``OAuthError`` with code ``OAuthError/Code/malformed`` when the body is not a JSON object, a member is
    ///   missing or has the wrong type, or the token type is not one of these (compared case-insensitively).
    ///
    /// Source: RFC 6749 §5.1 and §7.1; RFC 9449 §5.
    package init(parsing body: [UInt8], allowsBound: Bool = false) throws(OAuthError) {
        let value = try TokenEndpointResponse.object(body)
        let type = try TokenEndpointResponse.text(value, "token_type")?.lowercased()
        guard let token = try TokenEndpointResponse.text(value, "access_token"), !token.isEmpty,
            type == "bearer" || allowsBound && type == "dpop"
        else { throw OAuthError(.malformed, "The token response contains no bearer token; check the server.") }
        isBound = type == "dpop"
        if let seconds = value["expires_in"] {
            guard let seconds = seconds.number, seconds >= 0, seconds < 1e10 else {
                throw OAuthError(.malformed, "The token response's 'expires_in' is not a number of seconds.")
            }
            expiresIn = .seconds(Int(seconds))
        } else {
            expiresIn = nil
        }
        accessToken = Secret(token)
        refreshToken = try TokenEndpointResponse.text(value, "refresh_token").map { Secret($0) }
        scope = try TokenEndpointResponse.text(value, "scope")
        idToken = try TokenEndpointResponse.text(value, "id_token").map { Secret($0) }
    }
}
