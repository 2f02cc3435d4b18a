import Foundation

/// A web server of loopback whose responses a test decides. Each request has a connection and a thread of its own.
package final class ScriptedServer: Sendable {
    /// A response.
    package enum Response: Sendable {
        /// A body of JSON with a status.
        case json(String, status: Int = 200)
        /// A body of JSON that never ends, as fast as the client reads it.
        case endless
        /// Nothing, until the client closes the connection.
        case silence
    }

    /// The address of the server.
    package let address: String
    private let listener: Int32

    /// Listens on a free port.
    ///
    /// - Parameter respond: Returns the response to a method and a path with its query.
    /// - Throws: ``DriverError`` when no port can be used.
    package init(_ respond: @escaping @Sendable (_ method: String, _ path: String) -> Response) throws {
        let listener = try LoopbackPort()
        (self.listener, address) = (listener.socket, listener.address)
        Thread.detachNewThread { [socket = listener.socket] in
            while case let connection = accept(socket, nil, nil), connection >= 0 {
                Thread.detachNewThread { Self.serve(connection, respond) }
            }
        }
    }

    /// Ends the server. Connections that are open stay open.
    package func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    private static func serve(_ connection: Int32, _ respond: (String, String) -> Response) {
        defer { close(connection) }
        guard let words = request(from: connection)?.split(separator: " ", maxSplits: 2) else { return }
        send(respond(String(words[0]), String(words[1])), connection)
    }

    /// Reads a request with its body. Nil: the client closed the connection before its end.
    static func request(from connection: Int32) -> String? {
        var request = ""
        var buffer = [UInt8](repeating: 0, count: 16_384)
        repeat {
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { return nil }
            request += String(decoding: buffer[..<count], as: UTF8.self)
        } while !isComplete(request)
        return request
    }

    /// Sends a response until it is complete or the client closes the connection.
    static func send(_ response: Response, _ connection: Int32) {
        switch response {
        case .json(let body, let status):
            let head = "HTTP/1.1 \(status) Status\r\nContent-Type: application/json\r\nConnection: close\r\n"
            _ = send("\(head)Content-Length: \(body.utf8.count)\r\n\r\n\(body)", connection)
        case .endless:
            let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n{\"a\":\""
            let part = String(repeating: "a", count: 65_536)
            if send(head, connection) { while send(part, connection) {} }
        case .silence:
            var buffer = [UInt8](repeating: 0, count: 1_024)
            while recv(connection, &buffer, buffer.count, 0) > 0 {}
        }
    }

    private static func isComplete(_ request: String) -> Bool {
        guard let end = request.firstRange(of: "\r\n\r\n") else { return false }
        let length = request.lowercased().firstRange(of: "content-length: ").map { range in
            Int(request.lowercased()[range.upperBound...].prefix { $0.isNumber }) ?? 0
        }
        return request[end.upperBound...].utf8.count >= length ?? 0
    }

    private static func send(_ text: String, _ connection: Int32) -> Bool { send(Array(text.utf8), connection) }

    /// Sends bytes. Returns false when the client closed the connection.
    static func send(_ bytes: [UInt8], _ connection: Int32) -> Bool {
        var bytes = bytes[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return false }
            bytes = bytes.dropFirst(count)
        }
        return true
    }
}
