import CLibrary
import CMicroHTTPD
import HTTPMessages

/// Conversion between the system's socket addresses and this module's types.
///
/// Source: ip(7), ipv6(7), unix(7).
enum SocketAddress {
    static func withTCP<R>(
        _ ip: IPAddress, port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> R
    ) -> R {
        switch ip.family {
        case .v4:
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            withUnsafeMutableBytes(of: &address.sin_addr) { $0.copyBytes(from: ip.bytes) }
            return rebound(&address, body)
        case .v6:
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            withUnsafeMutableBytes(of: &address.sin6_addr) { $0.copyBytes(from: ip.bytes) }
            return rebound(&address, body)
        }
    }

    /// Calls `body` with the address of a Unix socket. Returns nil when the path is empty, contains a NUL or is longer
    /// than the 107 bytes that fit in an address.
    static func withUnix<R>(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> R) -> R? {
        var address = sockaddr_un()
        let bytes = Array(path.utf8)
        guard (1..<MemoryLayout.size(ofValue: address.sun_path)).contains(bytes.count), !bytes.contains(0) else {
            return nil
        }
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        return rebound(&address, body)
    }

    /// Returns the peer with a socket address. Nil for other address families.
    static func peer(_ address: UnsafePointer<sockaddr>) -> PeerAddress? {
        let raw = UnsafeRawPointer(address)
        switch Int32(address.pointee.sa_family) {
        case AF_INET:
            let value = raw.loadUnaligned(as: sockaddr_in.self)
            return withUnsafeBytes(of: value.sin_addr) { IPAddress(bytes: $0) }
                .map { .ipv4($0, port: UInt16(bigEndian: value.sin_port)) }
        case AF_INET6:
            let value = raw.loadUnaligned(as: sockaddr_in6.self)
            return withUnsafeBytes(of: value.sin6_addr) { IPAddress(bytes: $0) }
                .map { .ipv6($0, port: UInt16(bigEndian: value.sin6_port)) }
        default:
            return nil
        }
    }

    private static func rebound<T, R>(_ value: inout T, _ body: (UnsafePointer<sockaddr>, socklen_t) -> R) -> R {
        withUnsafePointer(to: &value) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<T>.size))
            }
        }
    }
}
