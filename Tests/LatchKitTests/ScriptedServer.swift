import CLibrary
import Foundation
import HTTPMessages
import Synchronization
import TestSupport

/// A server over real sockets that says exactly what a test wants, right or wrong, and when.
///
/// Every connection serves one request on a thread of its own and is closed.
final class ScriptedServer: Sendable {
    struct Request: Sendable {
        var method: String
        var path: String
        var headers: HTTPHeaders
        var body: String
        var token: String? { headers["Authorization"].map { String($0.drop { $0 != " " }.dropFirst()) } }
    }

    struct Response: Sendable {
        var status = 200
        var headers: HTTPHeaders = ["Content-Type": "application/json"]
        var body = ""
        /// Bytes that are announced beyond the body and never come.
        var missing = 0
        /// How long each byte of the body lets wait for it.
        var pace: Duration?

        static func json(_ body: String, _ status: Int = 200) -> Response { Response(status: status, body: body) }
        static func page(_ status: Int) -> Response {
            Response(
                status: status, headers: ["Content-Type": "text/html"], body: "<!doctype html><title>Sign in</title>")
        }
        static func redirect(_ target: String) -> Response { Response(status: 302, headers: ["Location": target]) }
        /// The connection is closed without a word.
        static let silence = Response(status: 0)
    }

    private struct State {
        var requests: [Request] = []
        var response: @Sendable (Request) -> Response
        var realTime: (@Sendable (WebSocketServer.Connection) -> Void)?
        var isStopped = false
    }

    /// Refuses connections once the listener is gone, and keeps the port from everybody else.
    private let held: HeldPort
    private let listener: LoopbackListener
    private let state: Mutex<State>

    init(response: @escaping @Sendable (Request) -> Response) throws {
        state = Mutex(State(response: response))
        held = try HeldPort()
        listener = try LoopbackListener(at: held)
        listener.serve { [weak self] in self?.serve($0) }
    }

    deinit { stop() }

    var port: Int { held.number }

    /// Everything asked so far.
    var requests: [Request] { state.withLock(\.requests) }

    func count(_ path: String) -> Int { requests.count { $0.path == path } }

    /// Answers otherwise from now on.
    func script(_ response: @escaping @Sendable (Request) -> Response) { state.withLock { $0.response = response } }

    /// Serves requests for a WebSocket connection from now on.
    func serveRealTime(_ script: @escaping @Sendable (WebSocketServer.Connection) -> Void) {
        state.withLock { $0.realTime = script }
    }

    /// Refuses connections from now on.
    func stop() {
        let isFirst = state.withLock { state in
            defer { state.isStopped = true }
            return !state.isStopped
        }
        if isFirst { listener.end() }
    }

    private func serve(_ connection: Int32) {
        guard let request = read(connection) else { return }
        if request.headers["Upgrade"] != nil, let script = state.withLock(\.realTime) {
            state.withLock { $0.requests.append(request) }
            let head = request.headers.map { "\r\n\($0.name): \($0.value)" }.joined()
            return script(WebSocketServer.Connection(head, connection))
        }
        let response = state.withLock { state in
            state.requests.append(request)
            return state.response
        }(request)
        guard response.status != 0 else { return }
        var head =
            "HTTP/1.1 \(response.status) Scripted\r\nConnection: close\r\nContent-Length: \(response.body.utf8.count + response.missing)\r\n"
        for field in response.headers { head += "\(field.name): \(field.value)\r\n" }
        if response.status == 204 { head = head.replacing("Content-Length: 0\r\n", with: "") }
        if let pace = response.pace { return crawl(connection, head + "\r\n", response.body, pace) }
        let bytes = Array((head + "\r\n" + response.body).utf8)
        _ = bytes.withUnsafeBytes { send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    }

    /// Sends the body byte by byte until the client has enough.
    private func crawl(_ connection: Int32, _ head: String, _ body: String, _ pace: Duration) {
        let pause = Double(pace.components.attoseconds) / 1e18 + Double(pace.components.seconds)
        for part in [Array(head.utf8)] + body.utf8.map({ [$0] }) {
            guard part.withUnsafeBytes({ send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }) > 0 else {
                return
            }
            Thread.sleep(forTimeInterval: pause)
        }
    }

    private func read(_ connection: Int32) -> Request? {
        var received: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16_384)
        var head: Int?
        while true {
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { return nil }
            received += buffer[..<count]
            head = head ?? Bytes.headEnd(in: received[...])
            guard let head else { continue }
            let lines = String(decoding: received[..<head], as: UTF8.self).components(separatedBy: "\r\n")
            var headers = HTTPHeaders()
            for line in lines.dropFirst() {
                guard let colon = line.firstIndex(of: ":") else { continue }
                headers.append(
                    String(line[..<colon]), line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces))
            }
            let body = received[(head + 4)...]
            guard body.count >= Int(headers["Content-Length"] ?? "") ?? 0 else { continue }
            let first = lines[0].split(separator: " ")
            return Request(
                method: String(first[0]), path: String(first[1]), headers: headers,
                body: String(decoding: body, as: UTF8.self))
        }
    }
}
