package import HTTPMessages

/// The address of a client, as far as it can be trusted.
package struct ClientAddress: Sendable, Hashable, CustomStringConvertible {
    /// The IP address; nil for a request over a Unix socket without a forwarded address.
    package let ip: IPAddress?

    /// Creates an address.
    package init(_ ip: IPAddress?) {
        self.ip = ip
    }

    /// The address without a port, or `unix`.
    package var description: String { ip.map(\.description) ?? "unix" }
}

extension AddressKey {
    /// Creates the key that attempts are counted by. All clients of the Unix socket share one key.
    package init(_ address: ClientAddress) {
        self.init(address.ip)
    }
}
