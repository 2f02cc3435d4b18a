/// Settings of the pages for people.
public struct PageSettings: Sendable, Equatable {
    /// Whether the pages are served. Default: false.
    public var isEnabled = false
    /// The path prefix of the pages. Empty, or `/` followed by text without a trailing `/`. Default: `/latch`.
    public var prefix = "/latch"

    /// The name of the server on the pages. Default: `Latchstring`.
    public var title = "Latchstring"

    /// Creates the default settings.
    public init() {}
}
