package import GatewayCore

/// Settings of the authorization server, which signs people in to any client of OAuth and OpenID Connect.
package struct AuthorizationServerSettings: Sendable {
    /// Whether the server has the endpoints of OAuth. Default: false.
    package var isEnabled = false
    /// How long an access token is valid. Default: 10 minutes.
    package var accessTokenLifetime = Duration.seconds(600)
    /// Whether devices without a browser can sign in to the dialects with `latch login --device`. Default: false.
    package var servesDialectsToDevices = false
    /// Whether proofs of possession must contain a nonce of this server. Default: false.
    package var requiresProofNonces = false
    /// The clients of the configuration. Administrators can add more with `latchd clients add`.
    package var clients: [RegisteredClient] = []
    /// The registration of clients by themselves.
    package var registration = RegistrationSettings()

    /// The clients of the configuration, and ``RegisteredClient/latch`` if devices can sign in to the dialects with it.
    package var allClients: [RegisteredClient] {
        clients + (isEnabled && servesDialectsToDevices ? [.latch] : [])
    }

    /// Creates the default settings.
    init() {}
}
