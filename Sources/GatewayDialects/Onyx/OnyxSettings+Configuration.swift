package import GatewayConfiguration
import SignInBridge

extension OnyxSettings {
    package static let configurationKeys = [
        ConfigurationKey(
            "dialects.onyx.enabled", \.settings.onyx.isEnabled, as: .boolean,
            summary: "Whether clients of Onyx can sign in."),
        ConfigurationKey(
            "dialects.onyx.prefix", \.settings.bridge.prefix, as: .prefix,
            summary: "The path prefix of the Onyx dialect."),
        ConfigurationKey(
            "dialects.onyx.registration", \.settings.onyx.allowsRegistration, as: .boolean,
            summary: "Whether people may create accounts for themselves."),
    ]

    package func prefix(in settings: GatewaySettings) -> String { settings.bridge.prefix }

    package func signInPath(in settings: GatewaySettings) -> String? {
        settings.signInPath(removingAPIFrom: settings.bridge.prefix)
    }

    package var unverifiedAddressKeys: [String] { allowsRegistration ? ["dialects.onyx.registration"] : [] }
    package var hasTokenEndpoints: Bool { true }
    package var servesProtectedBackends: Bool { true }
}
