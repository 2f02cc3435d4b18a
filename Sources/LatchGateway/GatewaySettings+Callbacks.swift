import OpenIDConnect

extension GatewaySettings {
    /// Returns the redirect address to register at a provider. Without ``publicURL`` this is only the path.
    public func callback(of provider: ProviderConfiguration) -> String {
        (publicURL ?? "") + onyx.prefix + BridgeProviders.callbackPath(of: provider, among: providers.count)
    }

    /// Returns the additional redirect addresses to register, for dialects that have their own.
    public func furtherCallbacks(of provider: ProviderConfiguration) -> [String] {
        guard timeTracker.isEnabled else { return [] }
        let own =
            (publicURL ?? "") + timeTracker.prefix
            + TimeTrackerRoutes.callbackPath(of: provider, among: providers.count)
        let isPosted = provider.settings.responseMode == .formPost
        return [own] + (timeTracker.callback == .app && !isPosted ? timeTracker.redirects : [])
    }
}
