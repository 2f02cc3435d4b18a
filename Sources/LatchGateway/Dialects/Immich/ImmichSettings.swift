/// Settings of the Immich dialect.
public struct ImmichSettings: Sendable, Equatable {
    /// Whether the dialect is served. Default: false.
    public var isEnabled = false
    /// The path prefix of its routes. Empty, or `/` followed by text without a trailing `/`. Default: `/api`.
    public var prefix = "/api"
    /// Whether the first person of a server can register as its administrator. Default: false.
    public var allowsAdminSignUp = false
    /// Whether people may change their own e-mail address. Default: false, because providers may link people by it.
    public var allowsEmailChange = false
    /// Whether the server is in maintenance mode, in which it only reports that mode. Default: false.
    public var isInMaintenance = false
    /// The app addresses where a sign-in through a provider may end, in addition to those of the bridge.
    public var redirects = ["app.immich:///oauth-callback", "immich://oauth-callback"]

    /// The folder of the asset library, with a subfolder for each person. Nil for no library, which is the default.
    public var library: String?

    /// Creates the default settings.
    public init() {}
}
