public import Wire

/// Who is at the other end of a connection, as the socket says it; proxies in between are not looked through.
public enum PeerAddress: Sendable, Hashable, CustomStringConvertible {
    /// An IPv4 client.
    case ipv4(IPAddress, port: UInt16)
    /// An IPv6 client.
    case ipv6(IPAddress, port: UInt16)
    /// A client of a Unix socket, which has no address.
    case unix

    /// The client's address; nil on a Unix socket.
    public var ip: IPAddress? {
        switch self {
        case .ipv4(let ip, _), .ipv6(let ip, _): ip
        case .unix: nil
        }
    }

    /// The client's port; nil on a Unix socket.
    public var port: UInt16? {
        switch self {
        case .ipv4(_, let port), .ipv6(_, let port): port
        case .unix: nil
        }
    }

    /// The address's text without the port: `192.0.2.1`, `2001:db8::1`, `unix`.
    public var address: String { ip?.description ?? "unix" }

    /// The same as ``address``.
    public var description: String { address }
}
