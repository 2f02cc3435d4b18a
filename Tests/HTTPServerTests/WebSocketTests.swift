import HTTPMessages
import Synchronization
import TestSupport
import Testing
import WebSockets

@testable import HTTPServer

/// WebSocket connections over raw sockets.
@Suite("WebSocket connections of the server", .blocking, .timeLimit(.minutes(5)))
struct WebSocketTests {
    /// A router with a connection that repeats its messages.
    private static var router: Router {
        var router = Router.sample
        router.on(.get, "/echo") { request in
            do throws(WebSocketRefusal) {
                return try ServerResponse.webSocket(request, maximumMessageBytes: 1_000) { connection in
                    for await text in connection.messages {
                        switch text {
                        case "end": return
                        case "much": for _ in 0..<100 { connection.send(String(repeating: "x", count: 100_000)) }
                        case "wait": try? await Task.sleep(for: .seconds(600))
                        default: connection.send("\(request.isTLS ? "tls " : "")\(text)")
                        }
                    }
                }
            } catch {
                return ServerResponse(status: error.status, headers: error.headers, body: Array(error.message.utf8))
            }
        }
        return router
    }

    private func withServer(
        _ change: (inout HTTPServer.Configuration) -> Void = { _ in },
        _ body: (TestServer) async throws -> Void
    ) async throws {
        let server = try await TestServer(TestServer.configuration(change), router: Self.router)
        try await attempt {
            try await body(server)
        } finally: {
            await server.stop()
        }
    }

    @Test("IM-6 messages are exchanged, also one that arrives with the request, and either end closes")
    func exchange() async throws {
        try await withServer { server in
            let peer = try WebSocketPeer(server.connect(), "/echo", early: "early")
            #expect(try peer.text() == "early")
            for index in 0..<50 {
                try peer.send("message \(index)")
                #expect(try peer.text() == "message \(index)")
            }
            try peer.close()
            #expect(try peer.next() == .close(1000))
            #expect(try peer.next() == nil)
            let other = try WebSocketPeer(server.connect(), "/echo")
            try other.send("end")
            #expect(try other.next() == .close(1000))
            #expect(try other.next() == nil)
        }
    }

    @Test("IM-6 a message in fragments and single bytes arrives complete, with a ping between its parts")
    func fragments() async throws {
        try await withServer { server in
            let peer = try WebSocketPeer(server.connect(), "/echo")
            let parts: [UInt8] = [0x01, 0x81, 0, 0, 0, 0, 0x61, 0x89, 0x80, 0, 0, 0, 0, 0x80, 0x81, 0, 0, 0, 0, 0x62]
            for byte in parts { try peer.socket.write([byte]) }
            #expect(try peer.text() == "ab")
            try peer.send("after")
            #expect(try peer.text() == "after")
        }
    }

    @Test(
        "IM-6 a wrong handshake is refused and begins no connection",
        arguments: [
            ("Sec-WebSocket-Version: 13", "Sec-WebSocket-Version: 8", "426"),
            ("Sec-WebSocket-Version: 13\r\n", "", "426"),
            ("Upgrade: websocket\r\n", "", "426"),
            ("Connection: Upgrade\r\n", "", "426"),
            ("dGhlIHNhbXBsZSBub25jZQ==", "c2hvcnQ=", "400"),
            ("Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n", "", "400"),
            ("HTTP/1.1", "HTTP/1.0", "400"),
            ("Upgrade: websocket\r\n", "Upgrade: websocket\r\nContent-Length: 1\r\n", "400"),
        ])
    func refusals(part: String, replacement: String, status: String) async throws {
        let handshake = """
            GET /echo HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
            Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n
            """
        try await withServer { server in
            let socket = try server.connect()
            try socket.write(handshake.replacing(part, with: replacement) + "x")
            let head = try socket.readResponse().head
            #expect(head.contains(" \(status) "), "\(head)")
            #expect(head.contains("Sec-WebSocket-Version: 13") == (status == "426"))
        }
    }

    @Test("IM-6 a client that sends a large message, unmasked bytes or a flood is disconnected")
    func floods() async throws {
        try await withServer { server in
            let large = try WebSocketPeer(server.connect(), "/echo")
            try large.send(String(repeating: "x", count: 1_001))
            #expect(try large.next() == .close(1009))
            let unmasked = try WebSocketPeer(server.connect(), "/echo")
            try unmasked.socket.write([0x81, 1, 0x61])
            #expect(try unmasked.next() == .close(1002))
            let many = try WebSocketPeer(server.connect(), "/echo")
            try many.send("wait")
            for _ in 0..<40 { try many.send("x") }
            #expect(try many.next() == .close(1008))
            let fast = try WebSocketPeer(server.connect(), "/echo")
            let ping = Array(repeating: [UInt8](arrayLiteral: 0x8A, 0x80, 0, 0, 0, 0), count: 20_000).flatMap { $0 }
            try? fast.socket.write(ping)
            #expect(try fast.next() == .close(1008))
            // The server still serves others.
            let peer = try WebSocketPeer(server.connect(), "/echo", early: "still here")
            #expect(try peer.text() == "still here")
        }
    }

    @Test("IM-6 a client that does not read is disconnected when too much waits for it")
    func unread() async throws {
        try await withServer { server in
            let peer = try WebSocketPeer(server.connect(), "/echo")
            try peer.send("much")
            // The end of the connection comes before the end of what the handler sent.
            var count = 0
            while try peer.text() != nil { count += 1 }
            #expect(count < 100)
        }
    }

    @Test("IM-6 stopping closes every connection with 1001 and returns")
    func drain() async throws {
        let server = try await TestServer(TestServer.configuration(), router: Self.router)
        let peers = try (0..<20).map { _ in try WebSocketPeer(server.connect(), "/echo") }
        let silent = try WebSocketPeer(server.connect(), "/echo")
        async let stopped: Void = server.server.stop(drain: .seconds(60))
        for peer in peers {
            #expect(try peer.next() == .close(1001))
            #expect(try peer.next() == nil)
        }
        // A client that does not answer the close frame does not delay the stop.
        await stopped
        #expect(try silent.next() == .close(1001))
    }

    @Test("IM-6 connections count against the limits of their address and of the server until they end")
    func limits() async throws {
        try await withServer { configuration in
            configuration.loops = 1
            configuration.connectionLimit = 8
            configuration.connectionsPerAddress = 100
        } _: { server in
            var peers = try (0..<6).map { _ in try WebSocketPeer(server.connect(), "/echo") }
            let refused = #expect(throws: WebSocketPeer.Refused.self) {
                try WebSocketPeer(server.connect(), "/echo")
            }
            #expect(refused?.head.hasPrefix("HTTP/1.1 503 ") == true)
            peers.removeLast().socket.resetAtEnd()
            try await eventually { (try? WebSocketPeer(server.connect(), "/echo")) != nil }
        }
        try await withServer {
            $0.connectionsPerAddress = 3
        } _: { server in
            let peers = try (0..<3).map { _ in try WebSocketPeer(server.connect(), "/echo") }
            #expect(throws: (any Error).self) { try WebSocketPeer(server.connect(), "/echo") }
            try peers[0].close()
            try await eventually { (try? WebSocketPeer(server.connect(), "/echo")) != nil }
        }
    }

    @Test("IM-6 a connection that is closed because WebSocket connections use up the limit is in the log")
    func full() async throws {
        try await withServer { configuration in
            configuration.loops = 1
            configuration.connectionLimit = 4
        } _: { server in
            let peers = try (0..<3).map { _ in try WebSocketPeer(server.connect(), "/echo") }
            var held: [RawSocket] = []
            // A connection that was just handed over still counts twice.
            try await eventually {
                if let socket = try? Self.hello(server) { held.append(socket) }
                return !held.isEmpty
            }
            for _ in 0..<3 { #expect(throws: (any Error).self) { try Self.hello(server) } }
            extendLifetime(peers)
            let notice = await server.eventsSoFar().first { $0.metadata["connections"] != nil }
            #expect(notice?.metadata == ["peer": "127.0.0.1", "connections": "1"])
            #expect(notice?.message.contains("connection limit") == true)
        }
    }

    /// Returns a connection that has served a request and stays open.
    private static func hello(_ server: TestServer) throws -> RawSocket {
        let socket = try server.connect()
        try socket.write("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n")
        _ = try socket.readResponse()
        return socket
    }

    @Test("IM-6 refusals are logged once a minute, with their number")
    func notices() {
        let (notice, minute) = (RefusalNotice("Refused.", counted: "connections"), UInt64(60_000_000_000))
        let logged = [0, 1, minute - 1, minute, minute + 1, 3 * minute].map { now in
            var events: [ServerEvent] = []
            notice.record(.unix, now: now) { events.append($0) }
            return events.first?.metadata["connections"]
        }
        #expect(logged == ["1", nil, nil, "3", nil, "2"])
    }

    @Test("IM-6 messages are exchanged over TLS, and the server ends the connection")
    func encrypted() async throws {
        let fixture = try await TLSFixture(router: Self.router)
        try await attempt {
            let tunnel = try TLSRelay(.encrypting, to: fixture.server.port)
            let peer = try WebSocketPeer(RawSocket(port: tunnel.port), "/echo", early: "early")
            #expect(try peer.text() == "tls early")
            for index in 0..<50 {
                try peer.send("message \(index)")
                #expect(try peer.text() == "tls message \(index)")
            }
            try peer.send("end")
            #expect(try peer.next() == .close(1000))
            #expect(try peer.next() == nil)
            let other = try WebSocketPeer(RawSocket(port: tunnel.port), "/echo")
            async let stopped: Void = fixture.server.server.stop(drain: .seconds(60))
            #expect(try other.next() == .close(1001))
            await stopped
        } finally: {
            await fixture.stop()
        }
    }
}
