import LatchGateway

/// One row for each family of servers that the sandbox serves, each by a gateway of its own.
struct SandboxDialect: Sendable {
    /// The member of the `--json` object, and the name of its port on the command line.
    let name: String
    /// How the latch signs in to it, shown to the person after its address.
    let title: String
    /// The paths that the provider may send the browser back to.
    let callbacks: [String]
    /// Turns this dialect on, and any other off.
    let enable: @Sendable (inout GatewaySettings) -> Void

    /// Every dialect of the sandbox, in the order they are shown.
    static let all = [onyx]

    private static let onyx = SandboxDialect(
        name: "onyx", title: "Onyx",
        callbacks: [
            "/api/auth/oauth/callback", "/api/auth/mobile/oauth/callback",
            "/api/auth/oauth/\(SandboxProvider.id)/callback",
        ],
        enable: { $0.onyx.isEnabled = true })
}
