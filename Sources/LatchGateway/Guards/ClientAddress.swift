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
    /// What attempts are counted by; everybody on the Unix socket is one.
    init(_ address: ClientAddress) {
        self.init(address.ip)
    }
}
