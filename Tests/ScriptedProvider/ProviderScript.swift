package import HTTPServer
package import Wire

/// What a ``ScriptedProvider`` does otherwise than it should; nothing unless told.
package struct ProviderScript: Sendable {
    /// A change of one of the provider's messages before it is signed or sent.
    package typealias Change = @Sendable (inout JSONMembers) -> Void

    /// How ID tokens and signed UserInfo answers are signed.
    package enum Signing: Sendable {
        /// By the published key.
        case right
        /// Not at all: `alg` is `none` and the signature is empty.
        case none
        /// By the published key, with one bit of the signature changed.
        case broken
        /// By a key that is published nowhere, under the published key's name.
        case otherKey
        /// By HMAC-SHA256 with the client's secret.
        case sharedSecret
        /// By HMAC-SHA256 with the published key's own text as the secret.
        case publicKeyAsSecret
        /// By RSASSA-PSS with the published RSA key, while only `RS256` is announced.
        case alternate
        /// By ECDSA with the published key of P-256.
        case elliptic
        /// By ECDSA with a key of P-256 that is published nowhere.
        case otherElliptic
    }

    /// When the provider changes its keys.
    package enum Rotation: Sendable {
        /// Never.
        case never
        /// After the first sign-in.
        case betweenSignIns
        /// In the second sign-in, when the person has come back and before the token is signed.
        case justBeforeSigning
    }

    /// Changes the discovery document.
    package var discovery: Change = { _ in }
    /// Changes each published key.
    package var publishedKey: Change = { _ in }
    /// Publishes a second RSA key in front of the one that signs.
    package var publishesSecondKey = false
    /// Changes what the browser brings back; the array is in the callback's order.
    package var callback: @Sendable (inout [(name: String, value: String)]) -> Void = { _ in }
    /// Changes a signed text's header.
    package var header: Change = { _ in }
    /// Changes the ID token's claims.
    package var claims: Change = { _ in }
    /// How ID tokens are signed.
    package var signing = Signing.right
    /// Whether a token request comes from the client; nil asks for `client_secret_basic`.
    package var isClient: (@Sendable (ServerRequest, FormFields) -> Bool)?
    /// Changes the token endpoint's answer.
    package var tokens: Change = { _ in }
    /// Changes the UserInfo answer.
    package var userInfo: Change = { _ in }
    /// How the UserInfo answer is signed; nil sends JSON.
    package var userInfoSigning: Signing?
    /// When the keys change.
    package var rotation = Rotation.never
    /// Adds `at_hash` and `c_hash`, right ones, before ``claims`` may change them.
    package var hashesTokens = true
    /// The path whose answers are right, and followed by 300,000 blanks.
    package var paddedPath: String?
    /// Whole answers instead of the provider's own, by path; nil answers as usual.
    package var replacements: [String: @Sendable (ServerRequest) -> ServerResponse?] = [:]

    /// A script that does everything right.
    package init() {}

    /// A script that does everything right but what `change` says.
    package init(_ change: (inout ProviderScript) -> Void) {
        change(&self)
    }
}
