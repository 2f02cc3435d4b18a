public import Wire

/// Who may read `/metrics`.
public struct MetricsSettings: Sendable, Equatable {
    /// Whether there is the page at all.
    public var isEnabled: Bool
    /// The networks that peers may ask from; loopback by default. Peers of a Unix socket may always.
    public var allowed: [IPNetwork]

    /// The networks of this machine itself.
    public static let loopback = ["127.0.0.0/8", "::1/128"].compactMap { IPNetwork($0) }

    /// Makes settings.
    public init(isEnabled: Bool = true, allowed: [IPNetwork] = MetricsSettings.loopback) {
        self.isEnabled = isEnabled
        self.allowed = allowed
    }
}
