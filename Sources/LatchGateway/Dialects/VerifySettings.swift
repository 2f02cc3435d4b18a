/// How the answers to reverse proxies are served.
public struct VerifySettings: Sendable, Equatable {
    /// Whether they are served at all.
    public var isEnabled = false
    /// What stands before their paths: empty by default, or `/` and text without a `/` at the end.
    public var prefix = ""

    /// Makes settings of defaults.
    public init() {}
}
