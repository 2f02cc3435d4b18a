import GatewayConfiguration
import GatewayDialects
import LatchGateway

/// A server family that the sandbox serves, each with its own gateway.
struct SandboxDialect: Sendable {
    /// The name of the member in the `--json` object, and of the port on the command line.
    let name: String
    /// The text that people see after the address.
    let title: String
    /// The paths of the gateway's redirect URIs.
    let callbacks: [String]
    /// The gateway's own client at the provider, for families whose apps receive the provider's redirect themselves. It
    /// has no secret, and the redirect URIs of the apps.
    var publicClient: (id: String, redirects: [String])?
    /// Enables this dialect and disables the others.
    let enable: @Sendable (inout GatewaySettings) -> Void
    /// The apps that sign people in at the provider themselves.
    var apps: [RegisteredClient] = []
    /// Whether the gateway protects the demonstration backend.
    var hasBackend = false

    /// All dialects of the sandbox, in display order.
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

    /// Its apps send the provider's access token to the gateway, so they get a JWT that it can validate.
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

    /// A backend without its own sign-in. Apps discover the gateway through it, and sign in as with Onyx.
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
