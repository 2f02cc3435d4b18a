import Crypto

/// What the gateways and the provider of the sandbox know of each other.
enum SandboxProvider {
    /// The provider's id in the gateways' configuration.
    static let id = "sandbox"
    /// The gateways' name at the provider.
    static let clientID = "latchd"
    /// Made anew for each sandbox.
    static func makeSecret() -> Secret { .random(24) }
}
