import CLibrary
import Foundation
import Synchronization
package import WebSockets

/// A WebSocket server on a real socket, whose script can violate every rule. Each connection has its own thread.
package final class WebSocketServer: Sendable {
    /// One connection. Used by the thread of its script.
    package final class Connection {
        /// The request line and the header fields of the client, as sent.
        package let head: String
        private let descriptor: Int32
        private let codec = WebSocketCodec(role: .server, maximumMessageBytes: 1 << 20, maximumPendingBytes: 64 << 20)
        private var events: [WebSocketEvent] = []

        /// Creates the server's end of a socket whose request was read.
        package init(_ head: String, _ descriptor: Int32) {
            (self.head, self.descriptor) = (head, descriptor)
        }

        /// The value of a header field.
        package func field(_ name: String) -> String? {
            head.components(separatedBy: "\r\n").dropFirst().first {
                $0.lowercased().hasPrefix(name.lowercased() + ": ")
            }
            .map { String($0.dropFirst(name.count + 2)) }
        }

        /// Accepts the connection.
        package func accept() {
            let accept = WebSocketHandshake.accept(for: field("Sec-WebSocket-Key") ?? "")
            write(
                "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: keep-alive, Upgrade\r\n"
                    + "Sec-WebSocket-Accept: \(accept)\r\n\r\n")
        }

        /// Sends bytes as they are.
        package func write(_ text: String) { write(Array(text.utf8)) }

        /// Sends bytes as they are. Returns false when the client has closed the connection.
        @discardableResult
        package func write(_ bytes: [UInt8]) -> Bool {
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes {
                    CLibrary.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                guard count > 0 else { return false }
                rest = rest.dropFirst(count)
            }
            return true
        }

        /// Sends a text message.
        package func send(_ text: String) {
            try? codec.send(text)
            flush()
        }

        /// Sends a close frame.
        package func sendClose(_ code: UInt16) {
            codec.close(code)
            flush()
        }

        /// Waits for the next event. Nil when the client has closed the connection.
        package func next() -> WebSocketEvent? {
            var buffer = [UInt8](repeating: 0, count: 16_384)
            while events.isEmpty {
                let count = recv(descriptor, &buffer, buffer.count, 0)
                guard count > 0 else { return nil }
                guard let new = try? codec.receive(Array(buffer[..<count])) else { return nil }
                events += new
                flush()
            }
            return events.removeFirst()
        }

        private func flush() {
            while codec.hasOutput { write(codec.takeOutput()) }
        }
    }

    /// The port on `127.0.0.1`.
    package let port: Int
    private let listener: LoopbackListener
    private let open = Mutex<(connections: Set<Int32>, isClosed: Bool)>(([], false))

    /// Starts the server. The script gets each connection after the client's request.
    package init(_ script: @escaping @Sendable (Connection) -> Void) throws {
        listener = try LoopbackListener()
        port = listener.port
        listener.serve { [weak self] descriptor in
            guard let self, self.keep(descriptor) else { return }
            defer { self.open.withLock { _ = $0.connections.remove(descriptor) } }
            guard let head = Self.readHead(descriptor) else { return }
            script(Connection(head, descriptor))
        }
    }

    deinit { close() }

    /// Returns the URL of a path.
    package func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }

    /// Stops listening and closes the connections.
    package func close() {
        let connections = open.withLock { state -> Set<Int32>? in
            defer { state.isClosed = true }
            return state.isClosed ? nil : state.connections
        }
        guard let connections else { return }
        listener.end()
        for connection in connections { shutdown(connection, Int32(SHUT_RDWR)) }
    }

    private func keep(_ descriptor: Int32) -> Bool {
        open.withLock { state in
            if !state.isClosed { state.connections.insert(descriptor) }
            return !state.isClosed
        }
    }

    private static func readHead(_ descriptor: Int32) -> String? {
        var (head, byte): ([UInt8], UInt8) = ([], 0)
        while !head.suffix(4).elementsEqual("\r\n\r\n".utf8) {
            guard recv(descriptor, &byte, 1, 0) == 1 else { return nil }
            head.append(byte)
        }
        return String(decoding: head, as: UTF8.self)
    }
}
