package import GatewayCore
import OpenIDConnect
import SignInBridge

extension GatewaySettings {
    /// Whether ``publicURL`` has a path after the host.
    var publicURLHasPath: Bool {
        publicURL.map { $0.split(separator: "/", omittingEmptySubsequences: true).count > 2 } ?? false
    }

    /// Returns the redirect address to register at a provider. Without ``publicURL`` this is only the path.
    package func callback(of provider: ProviderConfiguration) -> String {
        (publicURL ?? "") + bridge.prefix + BridgeProviders.callbackPath(of: provider, among: providers.count)
    }

    /// Returns the additional redirect addresses to register, for dialects that have their own.
    package func additionalCallbacks(of provider: ProviderConfiguration) -> [String] {
        enabledDialects.flatMap { $0.callbacks(of: provider, in: self) }
    }
}
