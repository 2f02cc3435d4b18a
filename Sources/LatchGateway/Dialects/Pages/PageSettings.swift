/// How the pages for people are served.
public struct PageSettings: Sendable, Equatable {
    /// Whether they are served at all.
    public var isEnabled = false
    /// What stands before their paths: `/latch` by default; empty, or `/` and text without a `/` at the end.
    public var prefix = "/latch"

    /// What the server is called on them.
    public var title = "Latchstring"

    /// Makes settings of defaults.
    public init() {}
}
