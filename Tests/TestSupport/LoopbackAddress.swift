import CLibrary

/// Binds sockets to ports of loopback addresses.
enum LoopbackAddress {
    /// Binds a socket to a port, by default a free one of `127.0.0.1`. Returns the port, or nil with `errno` set.
    ///
    /// Source: bind(2) and getsockname(2); ip(7) for port 0.
    static func bind(_ descriptor: Int32, host: String = "127.0.0.1", port: Int = 0) -> Int? {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr(host)
        address.sin_port = in_port_t(port).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { raw in
                CLibrary.bind(descriptor, raw, size) == 0 && getsockname(descriptor, raw, &size) == 0
            }
        }
        return isBound ? Int(in_port_t(bigEndian: address.sin_port)) : nil
    }
}
