public import Crypto

/// How this client shows a provider's token endpoint who it is.
///
/// Source: OpenID Connect Core §9.
public enum ClientAuthentication: Sendable, Equatable {
    /// `client_secret_basic`: name and secret in the header `Authorization`, which every provider knows.
    case basic(Secret)
    /// `client_secret_post`: name and secret in the form.
    case post(Secret)
    /// `none`: a public client; PKCE alone ties the code to its asker.
    case none
    /// Sign in with Apple: a secret that is made from a key for each exchange, sent in the form.
    ///
    /// `teamID` and `keyID` have 10 characters each; `key` is the `.p8` file's text.
    case apple(teamID: String, keyID: String, key: Secret)
}
