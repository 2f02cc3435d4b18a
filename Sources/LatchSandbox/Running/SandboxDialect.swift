import LatchGateway

/// One row for each family of servers that the sandbox serves, each by a gateway of its own.
struct SandboxDialect: Sendable {
    /// The member of the `--json` object, and the name of its port on the command line.
    let name: String
    /// How the latch signs in to it, shown to the person after its address.
    let title: String
    /// The paths that the provider may send the browser back to.
    let callbacks: [String]
    /// The provider's client that this gateway is, where apps of this family have the provider send the browser to
    /// themselves: it has no secret, and their addresses.
    var publicClient: (id: String, redirects: [String])?
    /// Turns this dialect on, and any other off.
    let enable: @Sendable (inout GatewaySettings) -> Void
    /// The apps that sign people in at the provider themselves.
    var apps: [RegisteredClient] = []
    /// Whether a made-up backend stands behind it.
    var hasBackend = false

    /// Every dialect of the sandbox, in the order they are shown.
    static let all = [onyx, timeTracker, immich, relateMail, backend]

    private static let onyxCallbacks = [
        "/api/auth/oauth/callback", "/api/auth/mobile/oauth/callback",
        "/api/auth/oauth/\(SandboxProvider.id)/callback",
    ]

    private static let onyx = SandboxDialect(
        name: "onyx", title: "Onyx", callbacks: onyxCallbacks,
        enable: { settings in
            settings.onyx.isEnabled = true
            settings.onyx.allowsRegistration = true
        })

    private static let timeTracker = SandboxDialect(
        name: "timetracker", title: "Time Tracker", callbacks: ["/auth/callback"],
        publicClient: ("timetracker", ["timetracker://oauth/callback"]),
        enable: { $0.timeTracker.isEnabled = true })

    private static let immich = SandboxDialect(
        name: "immich", title: "Immich", callbacks: ["/api/auth/oauth/callback"],
        enable: { $0.immich.isEnabled = true })

    /// Its apps bring the provider's access token to the gateway, so they get one that it can check.
    private static let relateMail = SandboxDialect(
        name: "relate-mail", title: "Relate Mail", callbacks: ["/api/auth/oauth/callback"],
        enable: { settings in
            settings.relateMail.isEnabled = true
            settings.relateMail.clientID = relateMailApp
        },
        apps: [
            RegisteredClient(
                id: relateMailApp, secret: nil, name: "Relate Mail",
                redirects: ["relate-mail://auth/callback"]
                    + ["http://127.0.0.1", "http://[::1]"].flatMap { [$0 + "/auth/callback", $0 + "/callback"] },
                audience: relateMailApp)
        ])

    /// A backend that knows nothing of sign-in, and where an app finds that; it signs people in as Onyx does.
    private static let backend = SandboxDialect(
        name: "backend", title: "Any backend", callbacks: onyxCallbacks,
        enable: { settings in
            settings.onyx.isEnabled = true
            settings.verify.isEnabled = true
            settings.verify.rules.rules = SandboxBackend.rules
            settings.trustedProxies = SandboxBackend.proxies
        },
        hasBackend: true)

    private static let relateMailApp = "relate-mail"
}
