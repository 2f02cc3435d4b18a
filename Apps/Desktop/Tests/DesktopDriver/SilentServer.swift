import Foundation

/// A port of loopback that accepts connections, and responds only when it is told to.
package final class SilentServer: Sendable {
    /// The address of the server.
    package let address: String
    private let listener: Int32

    /// Listens on a free port.
    package init() throws {
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
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
        listener = socket
        address = "http://127.0.0.1:\(UInt16(bigEndian: name.sin_port))"
    }

    deinit { close(listener) }

    /// Accepts the connections that wait and closes them after a response that no dialect knows.
    package func respond() {
        while true {
            let connection = accept(listener, nil, nil)
            guard connection >= 0 else { return }
            let response = "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
            _ = response.withCString { write(connection, $0, strlen($0)) }
            close(connection)
            var entry = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
            if poll(&entry, 1, 0) == 0 { return }
        }
    }
}
