/// Settings of forward authentication, in which reverse proxies ask about the requests that they receive.
public struct ForwardAuthSettings: Sendable, Equatable {
    /// Whether proxies are answered. Default: false.
    public var isEnabled = false
    /// The path that proxies request. Default: `/auth/verify`.
    public var path = "/auth/verify"
    /// The rules that say who has access to which address.
    public var rules = AccessRules()
    /// The domain whose hosts share the session cookie of a browser; nil when each host has its own.
    public var cookieDomain: String?

    /// Creates the default settings.
    public init() {}
}
