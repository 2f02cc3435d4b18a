import CLibrary
import Foundation
import HTTPMessages
import Synchronization
import TestSupport
import Testing

@testable import HTTPServer

@Suite("Lifetime of requests and the server", .blocking, .timeLimit(.minutes(20)))
struct LifetimeTests {
    /// A handler that waits until it is cancelled or told, and says what it sees.
    final class Waiting: Sendable {
        let seen: AsyncStream<String>
        let gate: AsyncStream<Void>
        let continuation: AsyncStream<String>.Continuation
        let open: AsyncStream<Void>.Continuation

        init() {
            (seen, continuation) = AsyncStream.makeStream(of: String.self)
            (gate, open) = AsyncStream.makeStream(of: Void.self)
        }

        var router: Router {
            var router = Router.sample
            router.on(.get, "/wait") { [self] _ in
                continuation.yield("started")
                await withTaskCancellationHandler {
                    for await _ in gate { return }
                } onCancel: {
                    continuation.yield("cancelled")
                }
                continuation.yield("ended")
                return .text("waited")
            }
            return router
        }
    }

    @Test("a client that disconnects cancels its handler and frees everything", arguments: ["close", "reset", "half"])
    func clientDisconnects(_ how: String) async throws {
        let waiting = Waiting()
        let server = try await TestServer(router: waiting.router)
        var socket: RawSocket? = try server.connect()
        try socket?.write("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n")
        var seen = waiting.seen.makeAsyncIterator()
        #expect(await seen.next() == "started")
        let held = await Held.find(in: server.server)
        #expect(held.exchange != nil)

        if how == "reset", let descriptor = socket?.descriptor {
            var linger = linger(l_onoff: 1, l_linger: 0)
            setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<CLibrary.linger>.size))
        }
        if how == "half" { socket?.finishWriting() } else { socket = nil }

        #expect(await seen.next() == "cancelled")
        #expect(await seen.next() == "ended")
        var records = server.accesses.makeAsyncIterator()
        #expect(await records.next()?.status == AccessRecord.clientClosed)
        await server.stop()
        #expect(held.exchange == nil)
        #expect(held.connection == nil)
    }

    @Test("the request, its connection and its task are freed after each response")
    func freed() async throws {
        let waiting = Waiting()
        let server = try await TestServer(router: waiting.router)
        let socket = try server.connect()
        try socket.write("GET /wait HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        var seen = waiting.seen.makeAsyncIterator()
        #expect(await seen.next() == "started")
        let held = await Held.find(in: server.server)
        #expect(held.exchange != nil)
        waiting.open.yield()
        #expect(try socket.readToEnd().hasSuffix("waited"))
        await server.stop()
        #expect(held.exchange == nil)
        #expect(held.connection == nil)
    }

    @Test("stopping refuses new clients, closes idle ones and lets a running request end with Connection: close")
    func draining() async throws {
        let waiting = Waiting()
        let server = try await TestServer(router: waiting.router)
        let idle = try server.connect()
        try idle.write("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n")
        _ = try idle.readResponse()
        let busy = try server.connect()
        try busy.write("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n")
        var seen = waiting.seen.makeAsyncIterator()
        #expect(await seen.next() == "started")

        async let stopped: Void = server.server.stop(drain: .seconds(30))
        // Off the shared pool, which may have no other thread to begin the stop with.
        #expect(await BackgroundThread.run { try? idle.readToEnd() } == "")
        #expect(throws: RawSocket.Failure.self) {
            // Each loop closes its own listening socket; both are closed before the last idle client is.
            for _ in 0..<1_000 { _ = try server.connect() }
        }
        waiting.open.yield()
        let text = try busy.readToEnd()
        await stopped

        #expect(text.hasPrefix("HTTP/1.1 200 OK"))
        #expect(text.contains("\r\nConnection: close\r\n"))
        #expect(text.hasSuffix("waited"))
    }

    @Test("after the drain time-out, handlers are cancelled and connections closed")
    func drainDeadline() async throws {
        let waiting = Waiting()
        let server = try await TestServer(router: waiting.router)
        let busy = try server.connect()
        try busy.write("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n")
        var seen = waiting.seen.makeAsyncIterator()
        #expect(await seen.next() == "started")
        await server.server.stop(drain: .milliseconds(20))
        #expect(await seen.next() == "cancelled")
        #expect(try busy.readToEnd() == "")
        await server.server.stop(drain: .zero)
    }

    @Test("a handler runs on its event loop, also after waiting elsewhere")
    func executor() async throws {
        actor Elsewhere { func value() -> Int { 1 } }
        let otherActor = Elsewhere()
        var router = Router()
        router.on(.get, "/") { _ in
            let before = pthread_self()
            _ = await otherActor.value()
            try? await Task.sleep(for: .milliseconds(1))
            return .text(pthread_equal(before, pthread_self()) != 0 ? "same" : "other")
        }
        let server = try await TestServer(router: router)
        let text = try server.exchange("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        #expect(text.hasSuffix("same"))
        await server.stop()
    }

    @Test("many concurrent clients, some of which disconnect early, are all served or freed")
    func manyConcurrentClients() async throws {
        var router = Router.sample
        router.on(.get, "/nap") { _ in
            try? await Task.sleep(for: .milliseconds(2))
            return .text("napped")
        }
        let server = try await TestServer(router: router)
        let served = try await withThrowingTaskGroup(of: Int.self) { group in
            for client in 0..<100 {
                group.addTask {
                    let socket = try server.connect()
                    for request in 0..<20 {
                        try socket.write("GET /nap HTTP/1.1\r\nHost: a\r\n\r\n")
                        if client % 3 == 0, request == 10 { return request }
                        #expect(try socket.readResponse().body == "napped")
                    }
                    return 20
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(served == 34 * 10 + 66 * 20)
        await server.stop()
    }

    @Test("the access log has the path without the query, the pattern, the status and the response's size")
    func accessLog() async throws {
        let server = try await TestServer()
        let text = try server.exchange(
            "GET /items/7?token=secret-secret HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        var records = server.accesses.makeAsyncIterator()
        let record = try #require(await records.next())
        #expect(record.path == "/items/7")
        #expect(record.route == "/items/{id}")
        #expect(record.status == .ok)
        #expect(record.method == .get)
        #expect(record.bytes == 6)
        #expect(record.peer.address == "127.0.0.1")
        #expect(text.contains("X-Request-Id: \(record.id)\r\n"))
        #expect(!"\(record)".leaks("secret-secret"))
        await server.stop()
    }

    @Test("reaching the connection limit is reported, and further clients wait and are served later")
    func connectionLimit() async throws {
        let server = try await TestServer(
            TestServer.configuration {
                $0.loops = 1
                $0.connectionLimit = 2
            })
        var held: [RawSocket] = []
        for _ in 0..<2 {
            let socket = try server.connect()
            try socket.write("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n")
            _ = try socket.readResponse()
            held.append(socket)
        }
        let late = try server.connect()
        try late.write("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n")
        var events = server.events.makeAsyncIterator()
        #expect(await events.next()?.metadata["limit"] == "2")
        held.removeAll()
        #expect(try late.readResponse().body == "hello")
        await server.stop()
    }
}

/// What a server holds for its first connection, without holding it.
private final class Held: Sendable {
    private struct References { weak var exchange: Exchange?; weak var connection: ClientConnection? }
    private let references = Mutex(References())

    var exchange: Exchange? { references.withLock { $0.exchange } }
    var connection: ClientConnection? { references.withLock { $0.connection } }

    static func find(in server: HTTPServer) async -> Held {
        let held = Held()
        for loop in server.loops {
            await withCheckedContinuation { continuation in
                loop.perform { loop in
                    if let connection = loop.connections.first {
                        held.references.withLock {
                            $0 = References(exchange: connection.exchange, connection: connection)
                        }
                    }
                    continuation.resume()
                }
            }
        }
        return held
    }
}
