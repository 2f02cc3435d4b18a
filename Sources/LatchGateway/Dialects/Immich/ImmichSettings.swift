/// How the Immich dialect is served.
public struct ImmichSettings: Sendable, Equatable {
    /// Whether it is served at all.
    public var isEnabled = false
    /// What stands before its paths: `/api` by default; empty, or `/` and text without a `/` at the end.
    public var prefix = "/api"
    /// Whether the first person of a server may make themselves its administrator. Off by default.
    public var allowsAdminSignUp = false
    /// Whether people may change their own e-mail address. Off by default: providers may link people by it.
    public var allowsEmailChange = false
    /// Whether the server does nothing but say that it is being worked on.
    public var isInMaintenance = false
    /// The addresses in apps that a sign-in through a provider may end at, besides those of the bridge.
    public var redirects = ["app.immich:///oauth-callback", "immich://oauth-callback"]

    /// The folder of the picture library, with a folder for each person in it; nil for none.
    public var library: String?

    /// Makes settings of defaults.
    public init() {}
}
