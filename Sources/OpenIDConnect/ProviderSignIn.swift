public import Crypto

/// A person who has signed in at an identity provider, and the token to call servers with in their name.
///
/// Source: OpenID Connect Core §3.1.3.3.
public struct ProviderSignIn: Sendable {
    /// Who it is.
    public internal(set) var identity: ProviderIdentity
    /// The token for a server that trusts the provider; it is not for this program to read.
    public let accessToken: Secret
}
