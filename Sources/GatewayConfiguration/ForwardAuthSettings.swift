/// Settings of forward authentication, in which reverse proxies ask about the requests that they receive.
package struct ForwardAuthSettings: Sendable, Equatable {
    /// Whether proxies are answered. Default: false.
    package var isEnabled = false
    /// The path that proxies request. Default: `/auth/verify`.
    package var path = "/auth/verify"
    /// The rules that say who has access to which address.
    package var rules = AccessRules()
    /// The domain whose hosts share the session cookie of a browser; nil when each host has its own.
    package var cookieDomain: String?

    /// Creates the default settings.
    init() {}
}
