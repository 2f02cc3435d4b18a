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
        /// No response: the server closes the connection.
        case closed
        /// The response of another server of loopback to the request.
        ///
        /// - Parameters:
        ///   - to: The address of the other server.
        ///   - path: The path and query that it is asked for. Nil: those of the request.
        ///   - holding: Holds the response. Nil: it is passed on at once.
        case forward(to: String, path: String? = nil, holding: HeldResponses? = nil)
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
        guard let request = request(from: connection) else { return }
        let words = String(decoding: request, as: UTF8.self).split(separator: " ", maxSplits: 2)
        send(respond(String(words[0]), String(words[1])), to: request, connection)
    }

    /// Reads a request with its body. Nil: the client closed the connection before its end.
    static func request(from connection: Int32) -> [UInt8]? {
        var request: [UInt8] = []
        repeat {
            guard let part = receive(connection) else { return nil }
            request += part
        } while !isComplete(String(decoding: request, as: UTF8.self))
        return request
    }

    /// Sends a response to a request until it is complete or the client closes the connection.
    static func send(_ response: Response, to request: [UInt8], _ connection: Int32) {
        switch response {
        case .json(let body, let status):
            let head = "HTTP/1.1 \(status) Status\r\nContent-Type: application/json\r\nConnection: close\r\n"
            _ = send("\(head)Content-Length: \(body.utf8.count)\r\n\r\n\(body)".utf8, connection)
        case .endless:
            let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n{\"a\":\""
            let part = String(repeating: "a", count: 65_536)
            if send(head.utf8, connection) { while send(part.utf8, connection) {} }
        case .silence:
            while receive(connection) != nil {}
        case .closed:
            shutdown(connection, Int32(SHUT_RDWR))
        case .forward(let address, let path, let held):
            forward(request, to: address, path, held, connection)
        }
    }

    /// Sends a request to another server, and passes on what both ends send until one of them ends.
    private static func forward(
        _ request: [UInt8], to address: String, _ path: String?, _ held: HeldResponses?, _ connection: Int32
    ) {
        let text = String(decoding: request, as: UTF8.self)
        let head = text[..<(text.firstRange(of: "\r\n\r\n")?.lowerBound ?? text.endIndex)]
        var lines = head.components(separatedBy: "\r\n")
        let authority = String(address.dropFirst("http://".count))
        let words = lines[0].split(separator: " ")
        lines[0] = "\(words[0]) \(path ?? String(words[1])) HTTP/1.1"
        lines.removeAll { $0.lowercased().hasPrefix("host:") }
        lines.insert("Host: \(authority)", at: 1)
        // One request for each connection, but for those of web sockets.
        if !lines.contains(where: { $0.lowercased().hasPrefix("upgrade:") }) { lines.append("Connection: close") }
        guard let port = authority.split(separator: ":").last.flatMap({ UInt16($0) }),
            let other = LoopbackPort.connect(to: port)
        else { return }
        defer { close(other) }
        let body = request.dropFirst(head.utf8.count)
        guard send(lines.joined(separator: "\r\n").utf8, other), send(body, other) else { return }
        if let held {
            // The other server has responded before the response is held.
            var entry = pollfd(fd: other, events: Int16(POLLIN), revents: 0)
            poll(&entry, 1, -1)
            held.wait()
        }
        let ended = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            relay(connection, other)
            ended.signal()
        }
        relay(other, connection)
        ended.wait()
    }

    /// Passes on what one end sends, until either end closes its connection. Ends both.
    private static func relay(_ source: Int32, _ target: Int32) {
        while let part = receive(source), send(part, target) {}
        shutdown(source, Int32(SHUT_RDWR))
        shutdown(target, Int32(SHUT_RDWR))
    }

    /// Reads what has arrived. Nil: the other end closed the connection.
    private static func receive(_ connection: Int32) -> [UInt8]? {
        let part = [UInt8](unsafeUninitializedCapacity: 16_384) { buffer, count in
            count = max(0, recv(connection, buffer.baseAddress, buffer.count, 0))
        }
        return part.isEmpty ? nil : part
    }

    private static func isComplete(_ request: String) -> Bool {
        guard let end = request.firstRange(of: "\r\n\r\n") else { return false }
        let length = request.lowercased().firstRange(of: "content-length: ").map { range in
            Int(request.lowercased()[range.upperBound...].prefix { $0.isNumber }) ?? 0
        }
        return request[end.upperBound...].utf8.count >= length ?? 0
    }

    /// Sends bytes. Returns false when the client closed the connection.
    @discardableResult
    static func send(_ text: some Sequence<UInt8>, _ connection: Int32) -> Bool {
        var bytes = Array(text)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return false }
            bytes = bytes.dropFirst(count)
        }
        return true
    }
}
