package import WebSockets

/// The client of a WebSocket connection on a raw socket. Calls block.
package final class WebSocketPeer {
    /// The server refused the handshake.
    package struct Refused: Error {
        /// The head of the response.
        package let head: String
    }

    /// The head of the response to the handshake.
    package let head: String
    /// The socket, for bytes that a client must not send.
    package let socket: RawSocket
    private let codec = WebSocketCodec(role: .client, maximumMessageBytes: 1 << 20, maximumPendingBytes: 1 << 20)
    private var events: [WebSocketEvent] = []

    /// Connects and performs the handshake. `early` is sent together with the request.
    package init(_ socket: RawSocket, _ path: String, headers: [(String, String)] = [], early: String? = nil) throws {
        self.socket = socket
        let key = WebSocketHandshake.key()
        var request = "GET \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: keep-alive, Upgrade\r\n"
        request += "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: \(key)\r\n"
        for (name, value) in headers { request += "\(name): \(value)\r\n" }
        var bytes = Array((request + "\r\n").utf8)
        if let early {
            try codec.send(early)
            bytes += codec.takeOutput()
        }
        try socket.write(bytes)
        var received: [UInt8] = []
        while received.firstRange(of: Array("\r\n\r\n".utf8)) == nil {
            let part = try socket.readSome()
            guard !part.isEmpty else { throw Refused(head: String(decoding: received, as: UTF8.self)) }
            received += part
        }
        let end = received.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound ?? received.endIndex
        head = String(decoding: received[..<end], as: UTF8.self)
        guard head.hasPrefix("HTTP/1.1 101 "), head.contains(WebSocketHandshake.accept(for: key)) else {
            throw Refused(head: String(decoding: received, as: UTF8.self))
        }
        events = try codec.receive(Array(received[end...]))
    }

    /// Sends a text message.
    package func send(_ text: String) throws {
        try codec.send(text)
        try flush()
    }

    /// Sends a close frame.
    package func close() throws {
        codec.close()
        try flush()
    }

    /// Returns the next event. Returns nil at the end of the stream.
    package func next() throws -> WebSocketEvent? {
        while events.isEmpty {
            let bytes = try socket.readSome()
            guard !bytes.isEmpty else { return nil }
            events += try codec.receive(bytes)
            try flush()
        }
        return events.removeFirst()
    }

    /// Returns the next text. Returns nil when the connection ends.
    package func text() throws -> String? {
        if case .text(let text)? = try next() { text } else { nil }
    }

    private func flush() throws {
        while codec.hasOutput { try socket.write(codec.takeOutput()) }
    }
}
