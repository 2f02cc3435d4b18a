/// How the Onyx dialect is served.
public struct OnyxSettings: Sendable, Equatable {
    /// Whether it is served at all.
    public var isEnabled: Bool
    /// What stands before its paths: `/api` by default; empty, or `/` and text without a `/` at the end.
    public var prefix: String
    /// Whether people may register themselves. Off by default.
    public var allowsRegistration: Bool

    /// Makes settings.
    public init(isEnabled: Bool = true, prefix: String = "/api", allowsRegistration: Bool = false) {
        self.isEnabled = isEnabled
        self.prefix = prefix
        self.allowsRegistration = allowsRegistration
    }
}
