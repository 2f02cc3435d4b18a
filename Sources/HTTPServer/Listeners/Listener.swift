package import HTTPMessages

/// An address on which the server listens.
package enum Listener: Sendable, Hashable, CustomStringConvertible {
    /// A TCP address. The host is an IPv4 or IPv6 address. Names are not resolved, except `localhost`, which is
    /// `127.0.0.1`. `::` accepts only IPv6, so that `0.0.0.0` can be used in addition. Port 0 asks the system for a
    /// free port.
    case tcp(host: String, port: UInt16)
    /// A TCP address with TLS.
    case tls(host: String, port: UInt16)
    /// A Unix socket at `path`, with the permission bits `mode`.
    case unix(path: String, mode: UInt32 = 0o660)

    /// The address as text: `127.0.0.1:2283`, `[::1]:2283`, `https://0.0.0.0:443`, `unix:/run/latchd.sock`.
    package var description: String {
        switch self {
        case .tcp(let host, let port): host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)"
        case .tls(let host, let port): "https://\(Listener.tcp(host: host, port: port))"
        case .unix(let path, _): "unix:\(path)"
        }
    }
}

/// An address on which the server is listening, with the port that the system chose.
package enum BoundAddress: Sendable, Hashable, CustomStringConvertible {
    /// A TCP address and port.
    case tcp(IPAddress, port: UInt16)
    /// A TCP address and port with TLS.
    case tls(IPAddress, port: UInt16)
    /// The path of a Unix socket.
    case unix(path: String)

    /// The TCP port. Nil for a Unix socket.
    package var port: UInt16? {
        switch self {
        case .tcp(_, let port), .tls(_, let port): port
        case .unix: nil
        }
    }

    /// The address as text.
    package var description: String {
        switch self {
        case .tcp(let address, let port): Listener.tcp(host: address.description, port: port).description
        case .tls(let address, let port): Listener.tls(host: address.description, port: port).description
        case .unix(let path): "unix:\(path)"
        }
    }
}
