import CLibrary
import Foundation
import Synchronization

/// A file server on real sockets that can simulate faults.
///
/// Each connection is served on its own thread, for any number of requests.
public final class FaultServer: Sendable {
    /// A received request.
    public struct Request: Sendable {
        /// The method.
        public var method: String
        /// The path and the query.
        public var path: String
        /// The header fields, with names in lower case.
        public var headers: [String: String]
        /// The body.
        public var body: [UInt8] = []
    }

    /// A response.
    public struct Response: Sendable {
        /// The status code.
        public var status = 200
        /// The header fields except `Content-Length`.
        public var headers: [(String, String)] = []
        /// The complete body.
        public var body: [UInt8] = []
        /// The value of `Content-Length` when it differs from the length of the body. Negative to omit the field, so
        /// that the end of the connection ends the body.
        public var announced: Int?
        /// The number of body bytes after which the connection is closed.
        public var cutAfter: Int?
        /// The number of body bytes after which nothing more is sent until the server is closed.
        public var stallAfter: Int?

        /// Creates a response.
        public init(status: Int = 200, headers: [(String, String)] = [], body: [UInt8] = []) {
            self.status = status
            self.headers = headers
            self.body = body
        }

        /// Returns a response with a JSON body.
        public static func json(_ body: String, _ status: Int = 200) -> Response {
            Response(status: status, headers: [("Content-Type", "application/json")], body: Array(body.utf8))
        }

        /// Returns the response of a correct server for a file: the complete file, or the rest of it for a range
        /// request whose condition holds.
        public static func file(
            _ bytes: [UInt8], to request: Request, entityTag: String? = "\"1\"", modified: String? = nil
        ) -> Response {
            var headers = [("Accept-Ranges", "bytes"), ("Date", "Sat, 21 Nov 2026 12:00:00 GMT")]
            if let entityTag { headers.append(("ETag", entityTag)) }
            if let modified { headers.append(("Last-Modified", modified)) }
            let condition = request.headers["if-range"]
            guard let range = request.headers["range"], range.hasPrefix("bytes="), range.hasSuffix("-"),
                let first = Int(range.dropFirst(6).dropLast()),
                condition.map({ $0 == entityTag || $0 == modified }) ?? true
            else { return Response(headers: headers, body: bytes) }
            guard first < bytes.count else {
                return Response(status: 416, headers: [("Content-Range", "bytes */\(bytes.count)")])
            }
            headers.append(("Content-Range", "bytes \(first)-\(bytes.count - 1)/\(bytes.count)"))
            return Response(status: 206, headers: headers, body: Array(bytes[first...]))
        }
    }

    private struct State {
        var listener: LoopbackListener
        var requests: [Request] = []
        var response: @Sendable (Request) -> Response
        var connections: Set<Int32> = []
        var isClosed = false
        var isDown = false
    }

    /// The port on `127.0.0.1`.
    public var port: Int { held.number }
    private let held: HeldPort
    private let state: Mutex<State>

    /// Starts the server.
    public init(_ response: @escaping @Sendable (Request) -> Response) throws {
        held = try HeldPort()
        let listener = try LoopbackListener(at: held)
        state = Mutex(State(listener: listener, response: response))
        take(listener)
    }

    private func take(_ listener: LoopbackListener) {
        listener.serve { [weak self] connection in
            guard let self, self.keep(connection) else { return }
            self.serve(connection)
        }
    }

    /// Simulates an outage: closes open connections and refuses new ones. No other program can get the port.
    public func beginOutage() {
        let listener = state.withLock { state in
            state.isDown = true
            return state.listener
        }
        listener.end()
        cut()
    }

    /// Listens again on the same port after ``beginOutage()``.
    public func endOutage() throws {
        let listener = try LoopbackListener(at: held)
        state.withLock { ($0.listener, $0.isDown) = (listener, false) }
        take(listener)
    }

    deinit { close() }

    /// Returns the URL of a path.
    public func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }

    /// All requests received so far.
    public var requests: [Request] { state.withLock(\.requests) }

    /// Replaces the function that creates the responses.
    public func script(_ response: @escaping @Sendable (Request) -> Response) {
        state.withLock { $0.response = response }
    }

    /// Closes the open connections. New connections are accepted.
    public func cut() {
        for connection in state.withLock(\.connections) { shutdown(connection, Int32(SHUT_RDWR)) }
    }

    /// Stops listening and closes the open connections.
    public func close() {
        let last = state.withLock { state -> (listener: LoopbackListener?, open: Set<Int32>)? in
            defer { state.isClosed = true }
            return state.isClosed ? nil : (state.isDown ? nil : state.listener, state.connections)
        }
        guard let last else { return }
        last.listener?.end()
        for connection in last.open { shutdown(connection, Int32(SHUT_RDWR)) }
    }

    private func keep(_ connection: Int32) -> Bool {
        state.withLock { state in
            guard !state.isClosed, !state.isDown else { return false }
            state.connections.insert(connection)
            return true
        }
    }

    private func serve(_ connection: Int32) {
        // Removed from the set before it is closed, because the number may be reused for another connection after that.
        defer { state.withLock { _ = $0.connections.remove(connection) } }
        var rest: [UInt8] = []
        while let request = read(connection, &rest) {
            let response = state.withLock { state in
                state.requests.append(request)
                return state.response
            }(request)
            guard send(response, to: request, on: connection) else { return }
        }
    }

    /// Sends a response. Returns whether the connection can be reused.
    private func send(_ response: Response, to request: Request, on connection: Int32) -> Bool {
        var head = "HTTP/1.1 \(response.status) Scripted\r\n"
        let announced = response.announced ?? response.body.count
        if announced >= 0, response.status != 204 { head += "Content-Length: \(announced)\r\n" }
        if announced < 0 { head += "Connection: close\r\n" }
        for (name, value) in response.headers { head += "\(name): \(value)\r\n" }
        guard write(Array((head + "\r\n").utf8), connection) else { return false }
        let end = min(response.cutAfter ?? .max, response.stallAfter ?? .max, response.body.count)
        guard request.method == "HEAD" || write(Array(response.body[..<end]), connection) else { return false }
        if response.stallAfter != nil {
            var byte: UInt8 = 0
            while recv(connection, &byte, 1, 0) > 0 {}
            return false
        }
        return response.cutAfter == nil && announced == response.body.count
    }

    private func write(_ bytes: [UInt8], _ connection: Int32) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                CLibrary.send(connection, $0.baseAddress! + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    private func read(_ connection: Int32, _ received: inout [UInt8]) -> Request? {
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while true {
            if let head = Bytes.headEnd(in: received[...]) {
                let lines = String(decoding: received[..<head], as: UTF8.self).components(
                    separatedBy: "\r\n")
                received.removeSubrange(..<(head + 4))
                var headers: [String: String] = [:]
                for line in lines.dropFirst() {
                    guard let colon = line.firstIndex(of: ":") else { continue }
                    headers[line[..<colon].lowercased()] = line[line.index(after: colon)...]
                        .trimmingCharacters(in: .whitespaces)
                }
                let first = lines[0].split(separator: " ")
                guard first.count == 3 else { return nil }
                let length = headers["content-length"].flatMap { Int($0) } ?? 0
                while received.count < length {
                    let count = recv(connection, &buffer, min(length - received.count, buffer.count), 0)
                    guard count > 0 else { return nil }
                    received += buffer[..<count]
                }
                let body = Array(received[..<length])
                received.removeFirst(length)
                return Request(method: String(first[0]), path: String(first[1]), headers: headers, body: body)
            }
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { return nil }
            received += buffer[..<count]
        }
    }
}
