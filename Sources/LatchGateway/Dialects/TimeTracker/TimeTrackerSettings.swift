/// How the Time Tracker dialect is served.
public struct TimeTrackerSettings: Sendable, Equatable {
    /// Who receives the browser from the identity provider.
    public enum Callback: String, Sendable, CaseIterable {
        /// The app: its own address is registered at the provider, which gives it the provider's code.
        case app
        /// This server, which goes on to the app with a code of its own.
        case gateway
    }

    /// Whether it is served at all.
    public var isEnabled = false
    /// What stands before its paths: empty by default, or `/` and text without a `/` at the end.
    public var prefix = ""
    /// The addresses in apps that a sign-in may end at.
    public var redirects = ["timetracker://oauth/callback"]
    /// Who receives the browser from the identity provider. One that posts its answer cannot send it to an app.
    public var callback = Callback.gateway
    /// How long a token is good.
    public var tokenLifetime = Duration.seconds(30 * 86_400)
    /// Whom tokens are for, `aud`; nil for the address of this server with the prefix.
    public var audience: String?
    /// How many sign-ins may be begun from one address.
    public var startRate = RequestRate(30, in: .seconds(60))

    /// Makes settings of defaults.
    public init() {}
}
