import CLibrary
import HTTPClient
import HTTPMessages
import Synchronization
import TestSupport
import Testing
import WebSockets

@Suite("IM-6 WebSocket connections", .timeLimit(.minutes(5)))
struct WebSocketTests {
    @Test("IM-6 A connection carries the configured fields and messages in both directions")
    func messages() async throws {
        let heads = Mutex<[String]>([])
        let server = try WebSocketServer { connection in
            heads.withLock { $0.append(connection.head) }
            connection.accept()
            while case .text(let text) = connection.next() { connection.send("echo " + text) }
        }
        var configuration = HTTPClient.Configuration(extraHeaders: ["X-Proxy-Key": "open sesame"])
        configuration.userAgent = "tests"

        try await withConnection(server, "/api/socket.io/?EIO=4", configuration) { connection in
            for text in ["one", "ü", String(repeating: "x", count: 100_000)] {
                try await connection.send(text)
                #expect(try await connection.next() == .text("echo " + text))
            }
        }

        let head = heads.withLock { $0.first ?? "" }
        #expect(head.hasPrefix("GET /api/socket.io/?EIO=4 HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n"))
        for field in [
            "Upgrade: websocket", "Sec-WebSocket-Version: 13", "Authorization: Bearer token",
            "X-Proxy-Key: open sesame", "User-Agent: tests",
        ] { #expect(head.contains("\r\n\(field)\r\n")) }
    }

    @Test("IM-6 A message in the same packet as the response is received")
    func early() async throws {
        let server = try WebSocketServer { connection in
            connection.write("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n")
            connection.accept()
            connection.send("first")
            connection.sendClose(1001)
            _ = connection.next()
        }

        try await withConnection(server) { connection in
            let events = [try await connection.next(), try await connection.next()]
            #expect(events == [.text("first"), .close(1001)])
        }
    }

    @Test("IM-6 The pin of a server applies to its connections", arguments: [true, false])
    func pinned(_ isRight: Bool) async throws {
        let server = try WebSocketServer { connection in
            connection.accept()
            connection.send("hello")
            _ = connection.next()
        }
        let front = try await TLSFront(to: UInt16(server.port), in: TemporaryDirectory())
        var configuration = HTTPClient.Configuration()
        let pin = isRight ? front.fingerprint : String(repeating: "00:", count: 31) + "00"
        configuration.pinnedCertificate = CertificateFingerprint(pin)
        let request = ClientRequest(url: "https://127.0.0.1:\(front.port)/")

        try await withClient(configuration) { client in
            if isRight {
                guard case .connected(let connection) = try await client.openWebSocket(request) else {
                    Issue.record("The connection was refused.")
                    return
                }
                #expect(try await connection.next() == .text("hello"))
            } else {
                let error = await #expect(throws: TransportError.self) { _ = try await client.openWebSocket(request) }
                #expect(error?.code.certificateProblem != nil)
            }
        }
    }

    @Test(
        "IM-6 A response that is no upgrade is an error",
        arguments: [
            (
                "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                    + "Sec-WebSocket-Accept: AAAAAAAAAAAAAAAAAAAAAAAAAAA=\r\n\r\n", TransportError.Code.invalidResponse
            ),
            ("HTTP/1.1 101 Switching Protocols\r\n\r\n", .invalidResponse),
            ("SSH-2.0-OpenSSH\r\n\r\n", .invalidResponse),
            ("HTTP/1.1 101 Switching\r\nUpgr", .closedEarly),
            ("HTTP/1.1 101 Switching\r\nX: " + String(repeating: "x", count: 20_000), .tooLarge),
            (String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: 1_000), .tooLarge),
        ])
    func invalid(_ response: String, _ code: TransportError.Code) async throws {
        let server = try WebSocketServer { $0.write(response) }

        let error = await #expect(throws: TransportError.self) { try await withConnection(server) { _ in } }

        #expect(error?.code == code)
        #expect(error?.message.contains("'http://127.0.0.1:\(server.port)'") == true)
    }

    @Test("IM-6 A refusal is returned with its status and its body", arguments: [200, 302, 401, 502])
    func refused(_ status: Int) async throws {
        let server = try WebSocketServer {
            $0.write("HTTP/1.1 \(status) Refused\r\nContent-Length: 4\r\nServer: proxy\r\n\r\nbody and more")
        }

        try await withClient { client in
            guard case .refused(let response) = try await client.openWebSocket(ClientRequest(url: server.url("/")))
            else {
                Issue.record("The connection was accepted.")
                return
            }
            #expect(response.status.rawValue == status)
            #expect(response.headers["Server"] == "proxy")
            #expect(response.body == Array("body".utf8))
        }
    }

    @Test(
        "IM-6 The body of a refusal is also read when it is sent in chunks, and empty when it is malformed or too large",
        arguments: [
            ("4;name=value\r\nbody\r\n6 \r\n of it\r\n0\r\nX: 1\r\n\r\nmore", "body of it"),
            ("0A\r\n0123456789\r\n0\r\n\r\n", "0123456789"),
            ("0\r\n\r\n", ""), ("4\r\nbody\r\n", ""), ("4\r\nbodyX\r\n0\r\n\r\n", ""), ("-4\r\nbody\r\n", ""),
            ("4\nbody\r\n0\r\n\r\n", ""), ("10001\r\n", ""), ("1;" + String(repeating: "x", count: 70_000), ""),
        ])
    func chunks(_ body: String, _ expected: String) async throws {
        let server = try WebSocketServer { connection in
            connection.write("HTTP/1.1 401 Refused\r\nTransfer-Encoding: Chunked\r\n\r\n")
            // In pieces, so that a line or a chunk may end in the next one.
            for start in stride(from: 0, to: body.utf8.count, by: 3) {
                guard connection.write(Array(body.utf8.dropFirst(start).prefix(3))) else { return }
            }
        }

        try await withClient { client in
            guard case .refused(let response) = try await client.openWebSocket(ClientRequest(url: server.url("/")))
            else {
                Issue.record("The connection was accepted.")
                return
            }
            #expect(String(decoding: response.body, as: UTF8.self) == expected)
        }
    }

    @Test(
        "IM-6 A refusal whose body does not arrive in time is returned with an empty body",
        arguments: ["Content-Length: 9", "Transfer-Encoding: chunked"])
    func stalledBody(_ framing: String) async throws {
        let server = try WebSocketServer { connection in
            connection.write("HTTP/1.1 401 Refused\r\n\(framing)\r\n\r\n4\r\nbo")
            _ = connection.next()
        }

        try await withClient { client in
            var request = ClientRequest(url: server.url("/"))
            request.timeout = .seconds(3)
            guard case .refused(let response) = try await client.openWebSocket(request) else {
                Issue.record("The connection was accepted.")
                return
            }
            #expect(response.status == .unauthorized && response.body.isEmpty)
        }
    }

    @Test(
        "IM-6 A connection through a proxy is a tunnel, in which the server gets the fields and the proxy its password")
    func proxied() async throws {
        let server = try WebSocketServer { connection in
            connection.accept()
            while case .text(let text) = connection.next() { connection.send("echo " + text) }
        }
        let proxy = try await Fixture.start("proxy.py")
        let configuration = HTTPClient.Configuration(proxy: "http://me:hunter2-hunter2@127.0.0.1:\(proxy.port)")

        try await withConnection(server, "/", configuration) { connection in
            try await connection.send("one")
            #expect(try await connection.next() == .text("echo one"))
        }

        #expect(await proxy.line("authorization") == "authorization Basic bWU6aHVudGVyMi1odW50ZXIy")
        #expect(await proxy.line("connect") == "connect 127.0.0.1:\(server.port)")
    }

    @Test("IM-6 The client certificate of a server is presented for a WebSocket connection")
    func clientCertificate() async throws {
        let server = try WebSocketServer { connection in
            connection.accept()
            connection.send("hello")
            _ = connection.next()
        }
        let folder = try TemporaryDirectory()
        let front = try await TLSFront(to: UInt16(server.port), in: folder, asksForCertificate: true)
        let configuration = HTTPClient.Configuration(
            authorities: .only(pemFile: front.certificate),
            clientCertificate: .pem(certificate: front.certificate, key: front.key, passphrase: nil))

        try await withClient(configuration) { client in
            let request = ClientRequest(url: "https://127.0.0.1:\(front.port)/")
            guard case .connected(let connection) = try await client.openWebSocket(request) else {
                Issue.record("The connection was refused.")
                return
            }
            #expect(try await connection.next() == .text("hello"))
        }
    }

    @Test(
        "IM-6 A server that requires a client certificate for a WebSocket connection is reported",
        arguments: ["1.2", "1.3"])
    func certificateRequired(_ version: String) async throws {
        let authority = try await Authority.make()
        let server = try await authority.server(
            try await authority.issue(), ["--client-authority", authority.own.certificate, "--newest-tls", version])
        let configuration = HTTPClient.Configuration(authorities: .only(pemFile: authority.own.certificate))

        let error = await #expect(throws: TransportError.self) {
            try await withClient(configuration) { client in
                _ = try await client.openWebSocket(ClientRequest(url: server.url("/", scheme: "https")))
            }
        }

        #expect(error?.code == .clientCertificate)
    }

    @Test("IM-6 A server that does not respond causes a time-out")
    func silent() async throws {
        let server = try WebSocketServer { _ = $0.next() }

        let error = await #expect(throws: TransportError.self) {
            try await withClient { client in
                _ = try await client.openWebSocket(ClientRequest(url: server.url("/"), timeout: .milliseconds(200)))
            }
        }

        #expect(error?.code == .timedOut)
    }

    @Test("IM-6 Cancelling the reader closes the connection")
    func cancelled() async throws {
        let ended = AsyncStream<Void>.makeStream()
        let server = try WebSocketServer { connection in
            connection.accept()
            connection.send("hello")
            #expect(connection.next() == nil)
            ended.continuation.finish()
        }

        try await withConnection(server) { connection in
            let first = try await connection.next()
            #expect(first == .text("hello"))
            let reader = Task { try await connection.next() }
            reader.cancel()
            await #expect(throws: CancellationError.self) { _ = try await reader.value }
            for await _ in ended.stream {}
            await #expect(throws: CancellationError.self) { try await connection.send("late") }
        }
    }

    @Test("IM-6 A connection that nobody uses any more is closed")
    func released() async throws {
        let ended = AsyncStream<Void>.makeStream()
        let server = try WebSocketServer { connection in
            connection.accept()
            #expect(connection.next() == nil)
            ended.continuation.finish()
        }
        try await withClient { client in
            _ = try await client.openWebSocket(ClientRequest(url: server.url("/")))
            for await _ in ended.stream {}
        }
    }

    @Test("IM-6 A message that is too large closes the connection")
    func tooLarge() async throws {
        let server = try WebSocketServer { connection in
            connection.accept()
            // A frame of 2^40 bytes, with its first one.
            connection.write([0x81, 127, 0, 0, 1, 0, 0, 0, 0, 0, 0x61])
            _ = connection.next()
        }

        await #expect(throws: WebSocketError.self) {
            try await withConnection(server) { _ = try await $0.next() }
        }
    }

    private func withConnection(
        _ server: WebSocketServer, _ path: String = "/", _ configuration: HTTPClient.Configuration = .init(),
        _ body: (WebSocketConnection) async throws -> Void
    ) async throws {
        try await withClient(configuration) { client in
            let request = ClientRequest(url: server.url(path), headers: ["Authorization": "Bearer token"])
            guard case .connected(let connection) = try await client.openWebSocket(request) else {
                Issue.record("The connection was refused.")
                return
            }
            try await body(connection)
        }
    }
}
