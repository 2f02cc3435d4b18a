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

/// What attempts are counted by: an IPv4 address, an IPv6 /64, or everybody on the Unix socket together.
///
/// Source: RFC 6177 §2: a site gets a /64 at least.
struct AddressKey: Hashable, Sendable {
    private let bytes: [UInt8]

    init(_ address: ClientAddress) {
        let all = address.ip?.bytes ?? []
        bytes = all.count == 16 ? Array(all.prefix(8)) : all
    }
}
