package import GatewayCore

/// Settings of the authorization server, which signs people in to any client of OAuth and OpenID Connect.
package struct AuthorizationServerSettings: Sendable {
    /// Whether the server has the endpoints of OAuth. Default: false.
    package var isEnabled = false
    /// How long an access token is valid. Default: 10 minutes.
    package var accessTokenLifetime = Duration.seconds(600)
    /// Whether proofs of possession must contain a nonce of this server. Default: false.
    package var requiresProofNonces = false
    /// The clients of the configuration. Administrators can add more with `latchd clients add`.
    package var clients: [RegisteredClient] = []

    /// Creates the default settings.
    init() {}
}
