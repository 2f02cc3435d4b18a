package import Crypto
package import FoundationEssentials

/// The tokens that a client gets after a sign-in or a refresh.
///
/// Source: RFC 6749 §5.1.
package struct ClientTokens: Sendable {
    /// The access token: 43 characters of base64url.
    package let accessToken: Secret
    /// The refresh token, which replaces the one before it.
    package let refreshToken: Secret
    /// How long the access token is valid.
    package let expiresIn: Duration
    /// The session that the tokens belong to.
    package let session: SessionID
    /// The person who signed in.
    package let person: UUID
    /// When the person authenticated.
    package let authenticated: Date
    /// How the person authenticated.
    package let methods: AuthenticationMethods
    /// What the tokens are for.
    package let grant: ClientGrant
    /// The SHA-256 of the public key that the access token is bound to, in base64url. Nil for a bearer token.
    package let keyThumbprint: String?
}

/// The result of a refresh.
package enum ClientRefresh: Sendable {
    /// New tokens, or those of the last refresh if its response was probably lost.
    case tokens(ClientTokens)
    /// The token is not valid for this client: it is unknown, or its session has ended.
    case refused
    /// The token is bound to a key, and the request does not prove its possession. Nothing changed.
    case otherKey
    /// The token is an old one, so the tokens of the session were stolen. The session was ended.
    case stolen
}

/// A valid access token.
package struct ClientAccess: Sendable {
    /// The client's session, with the person.
    package let session: Session
    /// Whether the person must change their password before anything else.
    package let mustChangePassword: Bool
    /// What the token is for.
    package let grant: ClientGrant
    /// When the token expires.
    package let expires: Date
    /// The SHA-256 of the public key that the token is bound to, in base64url. Nil for a bearer token.
    package let keyThumbprint: String?
}
