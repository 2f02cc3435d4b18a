package import HTTPMessages

/// The address of the other end of a connection, from the socket. Proxies in between are ignored.
package enum PeerAddress: Sendable, Hashable, CustomStringConvertible {
    /// The address and port of an IPv4 client.
    case ipv4(IPAddress, port: UInt16)
    /// The address and port of an IPv6 client.
    case ipv6(IPAddress, port: UInt16)
    /// A client of a Unix socket, which has no address.
    case unix

    /// The address of the client. Nil for a Unix socket.
    package var ip: IPAddress? {
        switch self {
        case .ipv4(let ip, _), .ipv6(let ip, _): ip
        case .unix: nil
        }
    }

    /// The port of the client. Nil for a Unix socket.
    package var port: UInt16? {
        switch self {
        case .ipv4(_, let port), .ipv6(_, let port): port
        case .unix: nil
        }
    }

    /// The text of the address without the port: `192.0.2.1`, `2001:db8::1`, `unix`.
    package var address: String { ip?.description ?? "unix" }

    /// The text of the address, as in ``address``.
    package var description: String { address }
}
