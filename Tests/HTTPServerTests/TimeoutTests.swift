import Foundation
import HTTPMessages
import TestSupport
import Testing

@testable import HTTPServer

@Suite("Time-outs", .blocking, .timeLimit(.minutes(20)))
struct TimeoutTests {
    private static func start() async throws -> TestServer {
        try await TestServer(
            TestServer.configuration {
                // Long enough for a client on a busy machine.
                $0.headerTimeout = .seconds(2)
                $0.bodyTimeout = .seconds(2)
                $0.idleTimeout = .seconds(2)
            })
    }

    /// Sends `text` one byte at a time, without end, until the server has had enough; what it said.
    private func sendSlowly(_ text: String, to socket: RawSocket, pause: UInt32 = 5_000) throws -> String {
        for byte in text.utf8.lazy.cycled(4_000) {
            do { try socket.write([byte]) } catch { break }
            var waiting = pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0)
            if poll(&waiting, 1, Int32(pause / 1_000)) > 0 { break }
        }
        return (try? socket.readToEnd()) ?? ""
    }

    @Test("a header that arrives slowly gets 408, however steadily it arrives")
    func slowHead() async throws {
        let server = try await Self.start()
        let socket = try server.connect()
        try socket.write("GET /hello HTTP/1.1\r\nHost: a\r\nX: ")
        #expect(try sendSlowly("x", to: socket).hasPrefix("HTTP/1.1 408 "))
        await server.stop()
    }

    @Test("a later header on the same connection has its own time-out from its request line")
    func slowSecondHead() async throws {
        let server = try await Self.start()
        let socket = try server.connect()
        try socket.write("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n")
        _ = try socket.readResponse()
        try socket.write("GET /hello HTTP/1.1\r\nHost: a\r\nX: ")
        #expect(try sendSlowly("x", to: socket).hasPrefix("HTTP/1.1 408 "))
        await server.stop()
    }

    @Test("a body that arrives slowly gets 408")
    func slowBody() async throws {
        let server = try await Self.start()
        let socket = try server.connect()
        try socket.write("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n")
        #expect(try sendSlowly("x", to: socket).hasPrefix("HTTP/1.1 408 "))
        var records = server.accesses.makeAsyncIterator()
        #expect(await records.next()?.status == .requestTimeout)
        await server.stop()
    }

    @Test("a body that stops arriving gets 408 before an older one that arrives slowly has used up its time")
    func stalledBody() async throws {
        let server = try await TestServer(
            TestServer.configuration {
                $0.bodyTimeout = .seconds(45)
                // Both fit into the share of their address, also when one event loop has both.
                $0.requestMemory = 64 << 20
            })
        let head = "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n"
        let steady = try server.connect()
        try steady.write(head)
        let stalled = try server.connect()
        try stalled.write(head + String(repeating: "x", count: 900_000))
        var sent = 0
        var waiting = pollfd(fd: stalled.descriptor, events: Int16(POLLIN), revents: 0)
        // A byte now and then is no progress.
        while poll(&waiting, 1, 100) == 0, sent < 900_000 {
            try steady.write(String(repeating: "x", count: 1_000))
            sent += 1_000
            try? stalled.write("x")
        }
        #expect(try stalled.readToEnd().hasPrefix("HTTP/1.1 408 "))
        try steady.write(String(repeating: "x", count: 1_000_000 - sent))
        #expect(try steady.readResponse().body.utf8.count == 1_000_000)
        await server.stop()
    }

    @Test(
        "a slow request line and a silent connection are closed",
        arguments: ["GET /hello", ""])
    func silent(_ start: String) async throws {
        let server = try await Self.start()
        let socket = try server.connect()
        try socket.write(start)
        #expect(try sendSlowly(start.isEmpty ? "" : "x", to: socket) == "")
        await server.stop()
    }

    @Test("a persistent connection without a further request is closed without a response")
    func idle() async throws {
        let server = try await Self.start()
        let socket = try server.connect()
        try socket.write("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n")
        _ = try socket.readResponse()
        #expect(try socket.readToEnd() == "")
        await server.stop()
    }

    @Test("time in which the event loop was blocked does not count against a client whose request has arrived")
    func blockedEventLoop() async throws {
        let server = try await TestServer(
            TestServer.configuration {
                $0.loops = 1
                $0.headerTimeout = .seconds(30)
            })
        let loop = try #require(server.server.loops.first)
        let socket = try server.connect()
        try socket.write("GET /hel")
        try await eventually {
            await withCheckedContinuation { continuation in
                loop.perform { continuation.resume(returning: !$0.connections.isEmpty) }
            }
        }
        // As if the loop had run no more for a minute.
        await withCheckedContinuation { continuation in
            loop.perform {
                $0.now += 60_000_000_000
                $0.sweepIfDue()
                continuation.resume()
            }
        }
        try socket.write("lo HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try socket.readResponse().head.hasPrefix("HTTP/1.1 200 "))
        await server.stop()
    }

    @Test("a handler may take longer than any time-out")
    func slowHandler() async throws {
        var router = Router()
        router.on(.get, "/slow") { _ in
            try? await Task.sleep(for: .seconds(3))
            return .text("done")
        }
        let server = try await TestServer(
            TestServer.configuration {
                $0.headerTimeout = .seconds(2)
                $0.bodyTimeout = .seconds(2)
                $0.idleTimeout = .seconds(2)
            }, router: router)
        #expect(
            try server.exchange("GET /slow HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").hasSuffix("done"))
        await server.stop()
    }
}

extension Sequence {
    /// The sequence again and again, `count` times.
    fileprivate func cycled(_ count: Int) -> some Sequence<Element> {
        (0..<count).lazy.flatMap { _ in self }
    }
}
