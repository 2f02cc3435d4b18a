/// How the Immich dialect is served.
public struct ImmichSettings: Sendable, Equatable {
    /// Whether it is served at all.
    public var isEnabled = false
    /// What stands before its paths: `/api` by default; empty, or `/` and text without a `/` at the end.
    public var prefix = "/api"

    /// Makes settings of defaults.
    public init() {}
}
