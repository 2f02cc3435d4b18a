public import Crypto

/// A relying party that the development provider serves.
///
/// Source: RFC 6749 §2.
public struct RegisteredClient: Sendable {
    /// The client's id.
    public var id: String
    /// The secret, for `client_secret_basic` and `client_secret_post`; nil makes a public client, which must use PKCE.
    public var secret: Secret?
    /// The name on the sign-in page.
    public var name: String
    /// The redirect addresses, compared character by character.
    ///
    /// Source: RFC 9700 §2.1.
    public var redirects: [String]

    /// Makes a client.
    public init(id: String, secret: Secret?, name: String? = nil, redirects: [String]) {
        self.id = id
        self.secret = secret
        self.name = name ?? id
        self.redirects = redirects
    }
}
