package import HTTPMessages

/// The settings of `/metrics`.
package struct MetricsSettings: Sendable, Equatable {
    /// Whether the page exists. `true` by default.
    package var isEnabled: Bool
    /// The networks of the peers that may read the page. Loopback by default. Peers of a Unix socket are always
    /// allowed.
    package var allowed: [IPNetwork]

    /// The loopback networks of IPv4 and IPv6.
    package static let loopback = ["127.0.0.0/8", "::1/128"].compactMap { IPNetwork($0) }

    /// Creates settings.
    package init(isEnabled: Bool = true, allowed: [IPNetwork] = MetricsSettings.loopback) {
        self.isEnabled = isEnabled
        self.allowed = allowed
    }
}
