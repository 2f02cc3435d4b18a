import CLibrary
import CMicroHTTPD
import HTTPMessages

/// The sockets of one listener: one descriptor for each loop.
///
/// On TCP, every loop has its own socket on the shared port (`SO_REUSEPORT`), so that the kernel distributes the
/// connections. The first socket is bound without that option and gets it afterwards. A second server of the same user
/// therefore fails to bind instead of silently sharing the port. On a Unix socket, the loops share one socket.
///
/// Source: socket(7) on `SO_REUSEPORT`, ipv6(7) on `IPV6_V6ONLY`.
struct ListeningSocket {
    let descriptors: [Int32]
    let address: BoundAddress
    /// The file to remove when the server stops. Nil for TCP.
    let file: SocketFile?

    var isTLS: Bool { if case .tls = address { true } else { false } }

    static func open(_ listener: Listener, count: Int) throws(HTTPServerError) -> ListeningSocket {
        switch listener {
        case .tcp(let host, let port), .tls(let host, let port):
            try openTCP(listener, host: host, port: port, count: count)
        case .unix(let path, let mode): try openUnix(listener, at: path, mode: mode, count: count)
        }
    }

    /// Closes the descriptors of all loops from index `loop` on, and removes the file.
    func close(from loop: Int) {
        for descriptor in descriptors[loop...] { _ = CLibrary.close(descriptor) }
        file?.remove()
    }

    private static func openTCP(
        _ listener: Listener, host: String, port: UInt16, count: Int
    ) throws(HTTPServerError) -> ListeningSocket {
        guard let ip = IPAddress(host == "localhost" ? "127.0.0.1" : host) else {
            throw HTTPServerError(
                .invalidAddress,
                "Could not listen on \(listener): '\(host)' is not an IP address; use one such as 127.0.0.1 or ::.")
        }
        var descriptors: [Int32] = []
        do throws(HTTPServerError) {
            let first = try makeSocket(boundTo: ip, port: port, for: listener, shared: false)
            descriptors.append(first)
            let chosen = boundPort(first)
            setOption(SO_REUSEPORT, level: SOL_SOCKET, of: first)
            while descriptors.count < count {
                descriptors.append(try makeSocket(boundTo: ip, port: chosen, for: listener, shared: true))
            }
            for descriptor in descriptors where listen(descriptor, 1024) != 0 {
                throw HTTPServerError.listening(on: listener, errno)
            }
            let address: BoundAddress =
                if case .tls = listener { .tls(ip, port: chosen) } else { .tcp(ip, port: chosen) }
            return ListeningSocket(descriptors: descriptors, address: address, file: nil)
        } catch {
            for descriptor in descriptors { _ = CLibrary.close(descriptor) }
            throw error
        }
    }

    private static func makeSocket(
        boundTo ip: IPAddress, port: UInt16, for listener: Listener, shared: Bool
    ) throws(HTTPServerError) -> Int32 {
        let family = ip.family == .v4 ? AF_INET : AF_INET6
        let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = socket(family, type, 0)
        guard descriptor >= 0 else { throw HTTPServerError.listening(on: listener, errno) }
        setOption(SO_REUSEADDR, level: SOL_SOCKET, of: descriptor)
        if shared { setOption(SO_REUSEPORT, level: SOL_SOCKET, of: descriptor) }
        if ip.family == .v6 { setOption(IPV6_V6ONLY, level: Int32(IPPROTO_IPV6), of: descriptor) }
        guard SocketAddress.withTCP(ip, port: port, { bind(descriptor, $0, $1) }) == 0 else {
            let number = errno
            _ = CLibrary.close(descriptor)
            throw HTTPServerError.listening(on: listener, number)
        }
        return descriptor
    }

    private static func boundPort(_ descriptor: Int32) -> UInt16 {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &storage) { storage in
            storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                _ = getsockname(descriptor, address, &length)
                return SocketAddress.peer(address)?.port ?? 0
            }
        }
    }

    private static func setOption(_ option: Int32, level: Int32, of descriptor: Int32) {
        var on: Int32 = 1
        _ = setsockopt(descriptor, level, option, &on, socklen_t(MemoryLayout<Int32>.size))
    }
}
