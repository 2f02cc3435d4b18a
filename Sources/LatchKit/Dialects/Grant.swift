import Crypto
package import FoundationEssentials

/// A token and what came with it.
///
/// Source: RFC 6749 §5.1.
package struct Grant: Sendable {
    /// The token.
    package var token: Secret
    /// The refresh token, when the family has one.
    package var refreshToken: Secret?
    /// How long the token is valid. Nil when the server does not say.
    package var lifetime: Duration?
    /// The id of the API key on the server, when the token is a key.
    package var keyID: String?
    /// The scopes of the API key, when the token is a key.
    package var scopes: [String]?
    /// The private key that the tokens are bound to, in PEM. Nil for bearer tokens.
    var proofKey: Secret?
    /// Whether the response says that the token is bound to a key. Nil when it does not say.
    var isBound: Bool?
    /// The person, when the response names one. Otherwise the server is asked.
    package var identity: Identity?
    /// Whether the server requires a password change before anything else.
    package var mustChangePassword = false
    /// The dialect with what the sign-in found out about the server, such as a client id. Nil when it found out nothing.
    package var dialect: (any Dialect)?
    /// The API key that was created for this sign-in, with the means to revoke it.
    var made: CreatedKey?

    /// Makes a grant.
    package init(token: Secret, refreshToken: Secret? = nil, lifetime: Duration? = nil) {
        self.token = token
        self.refreshToken = refreshToken
        self.lifetime = lifetime
    }

    /// When the token expires. Nil when the server does not say.
    package func expires(from now: Date) -> Date? {
        lifetime.map { now.addingTimeInterval(TimeInterval($0.components.seconds)) }
    }
}
