package import Crypto

/// The method by which this client authenticates at a provider's token endpoint.
///
/// Source: OpenID Connect Core §9.
package enum ClientAuthentication: Sendable, Equatable {
    /// `client_secret_basic`: client id and secret in the header field `Authorization`. Every provider supports it.
    case basic(Secret)
    /// `client_secret_post`: client id and secret in the form.
    case post(Secret)
    /// `none`: a public client. Only PKCE ties the code to the client.
    case none
    /// Sign in with Apple: a secret that is generated from a key for each exchange and sent in the form.
    ///
    /// `teamID` and `keyID` have 10 characters each. `key` is the text of the `.p8` file.
    case apple(teamID: String, keyID: String, key: Secret)
}
