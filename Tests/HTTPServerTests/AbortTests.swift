import HTTPMessages
import Synchronization
import TestSupport
import Testing

@testable import HTTPServer

/// Thousands of clients that leave in the middle; under the address sanitizer nothing may be lost either.
@Suite("Aborted requests", .blocking, .timeLimit(.minutes(20)))
struct AbortTests {
    /// What each client has sent when it leaves: nothing, a part of each part of a request, or all of it.
    private static let stages = [
        "", "G", "GET /hel", "GET /hello HTTP/1.1\r\n", "GET /hello HTTP/1.1\r\nHost: a\r\nX: y",
        "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n",
        "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n" + String(repeating: "x", count: 40_000),
        "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
        "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n",
        "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 9999999999\r\n\r\nabc",
        "POST /echo HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 10\r\n\r\n",
        "GET /hello HTTP/1.1\r\nHost: a\r\n\r\n", "GET /large HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /wait HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /later HTTP/1.1\r\nHost: a\r\n\r\nGET /wait HTTP/1.1\r\nHost: a\r\n\r\n",
        "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n", "GET  /hello HTTP/1.1\r\nHost: a\r\n\r\n",
    ]

    private static var router: Router {
        var router = Router.sample
        router.on(.get, "/large") { _ in ServerResponse(body: [UInt8](repeating: 120, count: 4_000_000)) }
        router.on(.get, "/wait") { _ in
            try? await Task.sleep(for: .seconds(3_600))
            return .text("waited")
        }
        return router
    }

    @Test("aborted requests leave no connection, no request and no running handler, and the server still works")
    func freesEverything() async throws {
        let server = try await TestServer(router: Self.router)
        let held = References()

        for round in 0..<20 {
            var sockets: [RawSocket] = []
            for index in 0..<204 {
                let socket = try server.connect()
                try socket.write(Self.stages[index % Self.stages.count])
                if (index / Self.stages.count + round).isMultiple(of: 2) { socket.resetAtEnd() }
                sockets.append(socket)
            }
            await held.take(from: server.server)
            sockets.removeAll()
            #expect(try server.exchange(Self.good).hasSuffix("hello"))
        }

        try await Self.untilEmpty(server.server)
        #expect(try server.exchange(Self.good).hasSuffix("hello"))
        await server.stop()
        #expect(held.count > 1_000)
        #expect(held.alive == 0)
    }

    private static let good = "GET /hello HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"

    /// Returns once no loop has a connection or a handler; the test's time limit bounds the wait.
    private static func untilEmpty(_ server: HTTPServer) async throws {
        for loop in server.loops {
            while await looks(at: loop, { $0.connections.count + $0.byDescriptor.count + $0.runningTasks }) > 0 {
                try Task.checkCancellation()
            }
        }
    }

    fileprivate static func looks<R: Sendable>(
        at loop: EventLoop, _ look: @escaping @Sendable (EventLoop) -> R
    ) async -> R {
        await withCheckedContinuation { continuation in
            loop.perform { continuation.resume(returning: look($0)) }
        }
    }
}

/// What a server held at some moments, without holding it.
private final class References: Sendable {
    private struct One {
        weak var connection: ClientConnection?
        weak var exchange: Exchange?
    }

    private let all = Mutex<[One]>([])

    var count: Int { all.withLock { $0.count } }
    var alive: Int { all.withLock { $0.filter { $0.connection != nil || $0.exchange != nil }.count } }

    /// Takes note of all connections that there are.
    func take(from server: HTTPServer) async {
        for loop in server.loops {
            await AbortTests.looks(at: loop) { [self] loop in
                all.withLock { $0 += loop.connections.map { One(connection: $0, exchange: $0.exchange) } }
            }
        }
    }
}
