/// How the Time Tracker dialect is served.
public struct TimeTrackerSettings: Sendable, Equatable {
    /// Whether it is served at all.
    public var isEnabled = false
    /// What stands before its paths: empty by default, or `/` and text without a `/` at the end.
    public var prefix = ""

    /// Makes settings of defaults.
    public init() {}
}
