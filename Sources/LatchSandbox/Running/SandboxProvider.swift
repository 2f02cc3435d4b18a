import Crypto
import LatchGateway
import OpenIDConnect

/// What the gateways and the provider of the sandbox know of each other.
enum SandboxProvider {
    /// The provider's id in the gateways' configuration.
    static let id = "sandbox"
    /// The gateways' name at the provider.
    static let clientID = "latchd"
    /// How long a gateway waits for the provider: short, so that ``Fault/slow`` is soon seen.
    static let timeout = Duration.seconds(3)

    /// Made anew for each sandbox.
    static func makeSecret() -> Secret { Secret(Base64URL.encode(SecureRandom.bytes(24))) }

    /// The provider as the gateways are told of it. It verifies e-mail addresses, so people are linked by them; whoever is
    /// not known is added.
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
