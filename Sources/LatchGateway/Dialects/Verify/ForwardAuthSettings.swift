/// How reverse proxies are answered that ask whose a request is.
public struct ForwardAuthSettings: Sendable, Equatable {
    /// Whether they are answered at all.
    public var isEnabled = false
    /// The path that they ask.
    public var path = "/auth/verify"
    /// Who may come where.
    public var rules = AccessRules()
    /// The domain whose hosts share the cookie of a browser that signed in; nil when each host has its own.
    public var cookieDomain: String?

    /// Makes settings of defaults.
    public init() {}
}
