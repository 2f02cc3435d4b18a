package import GatewayCore
import OpenIDConnect
import SignInBridge

extension GatewaySettings {
    /// Returns the redirect address to register at a provider. Without ``publicURL`` this is only the path.
    package func callback(of provider: ProviderConfiguration) -> String {
        (publicURL ?? "") + bridge.prefix + BridgeProviders.callbackPath(of: provider, among: providers.count)
    }

    /// Returns the additional redirect addresses to register, for dialects that have their own.
    package func additionalCallbacks(of provider: ProviderConfiguration) -> [String] {
        enabledDialects.flatMap { $0.callbacks(of: provider, in: self) }
    }
}
