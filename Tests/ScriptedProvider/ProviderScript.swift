package import HTTPMessages
package import HTTPServer

/// The behaviour of a ``ScriptedProvider``. By default it does everything correctly.
package struct ProviderScript: Sendable {
    /// A change to a message of the provider before it is signed or sent.
    package typealias Change = @Sendable (inout JSONMembers) -> Void

    /// How ID tokens and signed UserInfo responses are signed.
    package enum Signing: Sendable {
        /// Signed with the published key.
        case right
        /// Not signed: `alg` is `none` and the signature is empty.
        case none
        /// Signed with the published key, with one bit of the signature changed.
        case broken
        /// Signed with an unpublished key, under the name of the published key.
        case otherKey
        /// Signed with HMAC-SHA256 and the client secret.
        case sharedSecret
        /// Signed with HMAC-SHA256 and the text of the published key as the secret.
        case publicKeyAsSecret
        /// Signed with RSASSA-PSS and the published RSA key, although only `RS256` is announced.
        case alternate
        /// Signed with ECDSA and the published P-256 key.
        case elliptic
        /// Signed with ECDSA and an unpublished P-256 key.
        case otherElliptic
    }

    /// When the provider rotates its keys.
    package enum Rotation: Sendable {
        /// The keys are not rotated.
        case never
        /// The keys are rotated after the first sign-in.
        case betweenSignIns
        /// The keys are rotated in the second sign-in, after the person has returned and before the token is signed.
        case justBeforeSigning
    }

    /// Changes the metadata.
    package var discovery: Change = { _ in }
    /// Changes each published key.
    package var publishedKey: Change = { _ in }
    /// Whether a second RSA key is published before the one that signs.
    package var publishesSecondKey = false
    /// Changes the parameters of the callback. The array is in the order of the callback.
    package var callback: @Sendable (inout [(name: String, value: String)]) -> Void = { _ in }
    /// Changes the header of a signed text.
    package var header: Change = { _ in }
    /// Changes the claims of the ID token.
    package var claims: Change = { _ in }
    /// How ID tokens are signed.
    package var signing = Signing.right
    /// Returns whether a token request is authenticated as the client. Nil requires `client_secret_basic`.
    package var isClient: (@Sendable (ServerRequest, FormFields) -> Bool)?
    /// Changes the token response.
    package var tokens: Change = { _ in }
    /// Changes the UserInfo response.
    package var userInfo: Change = { _ in }
    /// How the UserInfo response is signed. Nil for an unsigned JSON response.
    package var userInfoSigning: Signing?
    /// When the keys are rotated.
    package var rotation = Rotation.never
    /// Whether correct values for `at_hash` and `c_hash` are added before ``claims`` is applied.
    package var hashesTokens = true
    /// The path whose responses are correct, but followed by 300,000 spaces.
    package var paddedPath: String?
    /// Functions by path that replace the provider's response. A nil result keeps the regular response.
    package var replacements: [String: @Sendable (ServerRequest) -> ServerResponse?] = [:]

    /// Creates a script without faults.
    package init() {}

    /// Creates a script without faults and applies `change`.
    package init(_ change: (inout ProviderScript) -> Void) {
        change(&self)
    }
}
