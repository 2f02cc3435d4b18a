import Foundation

/// A socket that listens on a free port of loopback. Its owner closes it.
struct LoopbackPort {
    /// The socket.
    let socket: Int32
    /// The address of a web server on the port.
    let address: String

    init() throws {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &name) { name in
            name.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
                bind(socket, name, length) == 0 && listen(socket, 64) == 0 && getsockname(socket, name, &length) == 0
            }
        }
        guard isListening else { throw DriverError("No port is free.") }
        self.socket = socket
        address = "http://127.0.0.1:\(UInt16(bigEndian: name.sin_port))"
    }

    /// Connects to a port of loopback. Nil: nothing listens there.
    static func connect(to port: UInt16) -> Int32? {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = port.bigEndian
        name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let isConnected = withUnsafePointer(to: &name) { name in
            name.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
                Glibc.connect(socket, name, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        if isConnected { return socket }
        close(socket)
        return nil
    }
}
