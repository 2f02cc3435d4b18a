import CLibrary

/// Wrappers for the system calls on local sockets.
enum LocalSocket {
    /// Returns a listening socket in a folder, or -1 on failure, with `errno` set.
    ///
    /// Source: `unix(7)`.
    static func listen(at name: String, in folder: LinkFolder) -> Int32 {
        var address = folder.address(of: name)
        return listening(AF_UNIX, &address)
    }

    /// Returns a connection to a socket in a folder, or nil when the connection fails, with `errno` set.
    static func connect(to name: String, in folder: LinkFolder) -> Int32? {
        let descriptor = socket(AF_UNIX, stream, 0)
        guard descriptor >= 0 else { return nil }
        var address = folder.address(of: name)
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                systemConnect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        guard isConnected else {
            let number = errno
            close(descriptor)
            errno = number
            return nil
        }
        return descriptor
    }

    /// Returns a listening socket on 127.0.0.1, on a port that the system chooses. Nil on failure.
    ///
    /// Source: RFC 8252 §7.3.
    static func listenOnLoopback() -> (descriptor: Int32, port: Int)? {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let descriptor = listening(AF_INET, &address)
        guard descriptor >= 0 else { return nil }
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = getsockname(descriptor, $0, &size) }
        }
        return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
    }

    private static func listening<Address>(_ family: Int32, _ address: inout Address) -> Int32 {
        let descriptor = socket(family, stream, 0)
        guard descriptor >= 0 else { return -1 }
        let isOpen = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<Address>.size)) == 0
            }
        }
        guard isOpen, systemListen(descriptor, 16) == 0 else {
            let number = errno
            close(descriptor)
            errno = number
            return -1
        }
        return descriptor
    }

    /// Sets the receive and send timeouts of a connection.
    static func bound(_ descriptor: Int32, seconds: Int) {
        var limit = timeval(tv_sec: seconds, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, size)
    }

    /// Reads until `isWhole` returns true, the end of the stream, `limit` bytes or `deadline`. Returns the bytes read
    /// so far.
    static func read(
        _ descriptor: Int32, limit: Int, deadline: ContinuousClock.Instant = .now + .seconds(10),
        until isWhole: ([UInt8]) -> Bool = { _ in false }
    ) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while bytes.count < limit, ContinuousClock.now < deadline {
            let count = recv(descriptor, &buffer, min(buffer.count, limit - bytes.count), 0)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            bytes += buffer.prefix(count)
            if isWhole(bytes) { break }
        }
        return bytes
    }

    /// Writes all bytes. Returns whether that succeeded.
    @discardableResult
    static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, noSignal) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}

// `connect` and `listen` are also the names of members above.
private let systemConnect = connect
private let systemListen = listen
