import Foundation

/// A port of loopback that accepts connections, and responds only when it is told to.
package final class SilentServer: Sendable {
    /// The address of the server.
    package let address: String
    private let listener: Int32

    /// Listens on a free port.
    package init() throws {
        let port = try LoopbackPort()
        (listener, address) = (port.socket, port.address)
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
