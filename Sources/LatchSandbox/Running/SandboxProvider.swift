import Crypto
import GatewayCore
import LatchGateway
import OpenIDConnect

/// The settings that the gateways and the provider of the sandbox share.
enum SandboxProvider {
    /// The id of the provider in the gateways' configuration.
    static let id = "sandbox"
    /// The client id of the gateways at the provider.
    static let clientID = "latchd"
    /// The timeout of a gateway's requests to the provider. It is short, so that ``Fault/slow`` takes effect quickly.
    static let timeout = Duration.seconds(3)

    /// Returns a new random client secret.
    static func makeSecret() -> Secret { Secret(Base64URL.encode(SecureRandom.bytes(24))) }

    /// Returns the provider configuration of the gateways. The provider verifies e-mail addresses, so accounts are
    /// linked by address, and unknown people are registered.
    static func configuration(
        issuer: String, clientID: String = clientID, secret: Secret?
    ) -> ProviderConfiguration {
        ProviderConfiguration(
            id: id, kind: .oidc, title: "Continue with the sandbox",
            settings: ProviderSettings(
                issuer: issuer, clientID: clientID, authentication: secret.map { .basic($0) } ?? .none,
                timeout: timeout),
            linksByEmail: true, allowsRegistration: true)
    }
}
