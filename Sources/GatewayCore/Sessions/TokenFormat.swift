package import Crypto
import FoundationEssentials

/// The format of a session token.
///
/// A token of any format is accepted here only while a session with its SHA-256 is live. The content of a token is for
/// other servers.
package enum TokenFormat: Sendable {
    /// 43 random characters without content. The session is extended by its use.
    case opaque
    /// The tokens of an app that can renew them: a short-lived one with a refresh token where ``SessionTokens/rotating``
    /// is set, otherwise ``opaque``.
    case renewable
    /// A token with content, such as a signed token, which includes its expiry. The session lives for `lifetime`
    /// regardless of its use, because the token cannot be changed afterwards.
    case custom(lifetime: Duration, @Sendable (SessionProperties) throws -> Secret)
}

/// The properties of a session that are known when its token is created.
package struct SessionProperties: Sendable {
    /// The public id of the session.
    let id: SessionID
    /// The person who signed in.
    let person: Person
    /// When the session was created, in whole seconds.
    let created: Date
    /// When the session ends, in whole seconds.
    let expires: Date
    /// The SHA-256 of the public key that the token is bound to, in base64url. Nil for a bearer token.
    let keyThumbprint: String?
}
