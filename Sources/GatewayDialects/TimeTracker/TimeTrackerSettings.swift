import GatewayConfiguration
package import GatewayCore

/// Settings of the Time Tracker dialect.
package struct TimeTrackerSettings: DialectSettings {
    /// Where the identity provider redirects the browser to.
    enum Callback: String, Sendable, CaseIterable {
        /// The app. Its own address is registered at the provider, and the app gets the provider's code.
        case app
        /// This server. It then redirects to the app with its own code.
        case gateway
    }

    /// Whether the dialect is served. Default: false.
    package var isEnabled = false
    /// The path prefix of its routes. Empty, or `/` followed by text without a trailing `/`. Default: empty.
    package var prefix = ""
    /// The app addresses where a sign-in may end.
    package var redirects = ["timetracker://oauth/callback"]
    /// Where the identity provider redirects the browser to. A provider that returns its response in a form is always
    /// used with ``Callback/gateway``, because a form cannot be sent to an app. Default: ``Callback/gateway``.
    var callback = Callback.gateway
    /// The lifetime of a token. Default: 30 days.
    package var tokenLifetime = Duration.seconds(30 * 86_400)
    /// The audience of tokens, `aud`; nil for the address of this server with the prefix.
    package var audience: String?
    /// The limit for sign-ins that begin from one address. Default: 30 a minute.
    package var startRate = RequestRate(30, in: .seconds(60))

    /// Creates the default settings.
    package init() {}
}

extension GatewaySettings {
    /// The settings of the Time Tracker dialect.
    package var timeTracker: TimeTrackerSettings {
        get { self[TimeTrackerSettings.self] }
        set { self[TimeTrackerSettings.self] = newValue }
    }
}
