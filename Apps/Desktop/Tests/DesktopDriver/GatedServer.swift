import Foundation
import Synchronization

/// A web server of loopback in front of a real one. It forwards requests, and holds or answers some of them itself while
/// a test wants it. Each request has a connection and a thread of its own.
package final class GatedServer: Sendable {
    /// What happens to the requests for a path.
    package enum Rule: Sendable {
        /// The response waits until ``open()``. It is that of the server behind, which has the request before, or another
        /// one.
        case hold(ScriptedServer.Response? = nil)
        /// The server behind is not asked.
        case respond(ScriptedServer.Response)
        /// The connection is closed without a response.
        case close
    }

    private struct State {
        var rules: [(path: String, rule: Rule)] = []
        /// The held responses that are not delivered yet.
        var held = 0
    }

    /// The address of the server.
    package let address: String
    private let listener: Int32
    private let target: UInt16
    private let state = Mutex(State())
    private let gate = NSCondition()
    private let events = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    /// Listens on a free port.
    ///
    /// - Parameter address: The address of the server behind it, with a port of 127.0.0.1 and without encryption.
    /// - Throws: ``DriverError`` when no port can be used.
    package init(forwardingTo address: String) throws {
        guard let port = address.split(separator: ":").last.flatMap({ UInt16($0) }) else {
            throw DriverError("\(address) has no port.")
        }
        target = port
        let listener = try LoopbackPort()
        (self.listener, self.address) = (listener.socket, listener.address)
        Thread.detachNewThread { [weak self, socket = listener.socket] in
            while case let connection = accept(socket, nil, nil), connection >= 0 {
                Thread.detachNewThread { [weak self] in
                    self?.serve(connection)
                    close(connection)
                }
            }
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    /// Sets what happens to the requests whose path contains a text, instead of what was set before.
    package func set(_ rule: Rule, for path: String) {
        state.withLock { $0.rules = [(path, rule)] }
    }

    /// Waits until a response is held.
    ///
    /// - Throws: ``DriverError`` after ``DesktopApp/limit``.
    package func waitUntilHeld() async throws { try await wait("No response is held.") { $0.held > 0 } }

    /// Delivers the responses that are held, forwards all later ones, and waits until the clients have what was held or
    /// have closed their connections.
    ///
    /// - Throws: ``DriverError`` after ``DesktopApp/limit``.
    package func open() async throws {
        state.withLock { $0.rules = [] }
        gate.withLock { gate.broadcast() }
        try await wait("A response is still held.") { $0.held == 0 }
    }

    private func wait(_ message: String, until condition: @escaping @Sendable (borrowing State) -> Bool) async throws {
        let limit = await DesktopApp.limit
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { [self] in
                if state.withLock({ condition($0) }) { return }
                for await _ in events.stream where state.withLock({ condition($0) }) { return }
            }
            group.addTask {
                try await Task.sleep(for: limit)
                throw DriverError(message)
            }
            try await group.next()
            group.cancelAll()
        }
    }

    private func serve(_ connection: Int32) {
        guard let bytes = ScriptedServer.request(from: connection) else { return }
        let request = String(decoding: bytes, as: UTF8.self)
        let words = request.split(separator: " ", maxSplits: 2)
        guard words.count == 3 else { return }
        switch rule(for: words[1]) {
        case .close: break
        case .respond(let response): ScriptedServer.send(response, to: bytes, connection)
        case .hold(let other):
            let response = other == nil ? forward(request) : []
            change { $0.held += 1 }
            gate.withLock { while isHeld(words[1]) { gate.wait() } }
            if let other {
                ScriptedServer.send(other, to: bytes, connection)
            } else {
                ScriptedServer.send(response, connection)
            }
            change { $0.held -= 1 }
        case nil: ScriptedServer.send(forward(request), connection)
        }
    }

    private func rule(for path: Substring) -> Rule? {
        state.withLock { $0.rules.first { path.contains($0.path) }?.rule }
    }

    private func isHeld(_ path: Substring) -> Bool { if case .hold = rule(for: path) { true } else { false } }

    private func change(_ body: (inout sending State) -> Void) {
        state.withLock { body(&$0) }
        events.continuation.yield()
    }

    /// Sends a request to the server behind, and returns its response.
    private func forward(_ request: String) -> [UInt8] {
        // No protocol is left for which the connection would stay open.
        guard !request.lowercased().contains("\r\nupgrade:"), let end = request.firstRange(of: "\r\n\r\n"),
            let server = LoopbackPort.connect(to: target)
        else { return Array("HTTP/1.1 503 Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".utf8) }
        defer { close(server) }
        let closing = request[..<end.lowerBound] + "\r\nConnection: close" + request[end.lowerBound...]
        guard ScriptedServer.send(Array(String(closing).utf8), server) else { return [] }
        var response: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while case let count = recv(server, &buffer, buffer.count, 0), count > 0 { response += buffer[..<count] }
        return response
    }
}
