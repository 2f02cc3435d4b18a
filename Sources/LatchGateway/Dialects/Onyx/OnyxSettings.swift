/// Settings of the Onyx dialect.
public struct OnyxSettings: Sendable, Equatable {
    /// Whether the dialect is served. Default: true.
    public var isEnabled: Bool
    /// The path prefix of its routes. Empty, or `/` followed by text without a trailing `/`. Default: `/api`.
    public var prefix: String
    /// Whether people can register themselves. Default: false.
    public var allowsRegistration: Bool

    /// Creates settings.
    public init(isEnabled: Bool = true, prefix: String = "/api", allowsRegistration: Bool = false) {
        self.isEnabled = isEnabled
        self.prefix = prefix
        self.allowsRegistration = allowsRegistration
    }
}
