package import Crypto

/// A completed sign-in at an identity provider, with the access token for requests on the person's behalf.
///
/// Source: OpenID Connect Core §3.1.3.3.
package struct ProviderSignIn: Sendable {
    /// The identity of the person.
    package internal(set) var identity: ProviderIdentity
    /// The access token for a server that trusts the provider. Its contents are not meant for this program.
    package let accessToken: Secret
}
