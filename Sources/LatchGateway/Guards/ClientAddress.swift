public import Wire

/// Where a request came from, as far as it can be believed.
public struct ClientAddress: Sendable, Hashable, CustomStringConvertible {
    /// The IP address; nil for a request over a Unix socket that names no other.
    public let ip: IPAddress?

    /// Makes the value.
    public init(_ ip: IPAddress?) {
        self.ip = ip
    }

    /// The address without a port, or `unix`.
    public var description: String { ip.map(\.description) ?? "unix" }
}

extension AddressKey {
    /// Creates the key that attempts are counted by. All clients of the Unix socket share one key.
    init(_ address: ClientAddress) {
        self.init(address.ip)
    }
}
