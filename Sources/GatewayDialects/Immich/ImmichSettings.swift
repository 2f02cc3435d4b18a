import GatewayConfiguration

/// Settings of the Immich dialect.
package struct ImmichSettings: DialectSettings {
    /// Whether the dialect is served. Default: false.
    package var isEnabled = false
    /// The path prefix of its routes. Empty, or `/` followed by text without a trailing `/`. Default: `/api`.
    package var prefix = "/api"
    /// Whether the first person of a server can register as its administrator. Default: false.
    package var allowsAdminSignUp = false
    /// Whether people may change their own e-mail address. Default: false, because providers may link people by it.
    package var allowsEmailChange = false
    /// Whether the server is in maintenance mode, in which it only reports that mode. Default: false.
    package var isInMaintenance = false
    /// The app addresses where a sign-in through a provider may end, in addition to those of the bridge.
    package var redirects = ["app.immich:///oauth-callback", "immich://oauth-callback"]

    /// The folder of the asset library, with a subfolder for each person. Nil for no library, which is the default.
    package var library: String?
    /// The path of nginx's internal location with the files of the library, through which nginx sends them. Nil when
    /// the gateway sends them itself, which is the default.
    package var internalLocation: String?

    /// Creates the default settings.
    package init() {}
}

extension GatewaySettings {
    /// The settings of the Immich dialect.
    package var immich: ImmichSettings {
        get { self[ImmichSettings.self] }
        set { self[ImmichSettings.self] = newValue }
    }
}
