import HTTPClient
import HTTPMessages
import HTTPServer
import TestSupport
import Testing

/// Clear text where it is not allowed, and what browsers are told about TLS.
@Suite(.blocking, .timeLimit(.minutes(20)))
struct PlainRequestTests {
    @Test
    func `a plain HTTP request from a client that may not send one gets 403, with one line in the log`() async throws {
        let server = try await TestServer(TestServer.configuration { $0.admitsPlain = { _ in false } })
        for _ in 0..<3 {
            let response = try server.exchange("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(response.hasPrefix("HTTP/1.1 403") && response.contains("only from this machine"))
        }
        await server.stop()
        let events = await server.eventsSoFar()
        #expect(events.count == 1)
        #expect(events.first?.metadata["peer"] == "127.0.0.1")
    }

    @Test func `clients of a Unix socket may always use plain HTTP`() async throws {
        let folder = try TemporaryDirectory()
        let server = try await TestServer(
            TestServer.configuration {
                $0.listeners = [.unix(path: folder.file("socket"))]
                $0.admitsPlain = { _ in false }
            })
        let socket = try RawSocket(path: folder.file("socket"))
        try socket.write("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try socket.readResponse().head.hasPrefix("HTTP/1.1 200"))
        await server.stop()
    }

    @Test func `every response over TLS has Strict-Transport-Security`() async throws {
        let fixture = try await TLSFixture { $0.strictTransport = StrictTransport(maximumAge: .seconds(86_400)) }
        for path in ["/hello", "/none"] {
            let response = try await fixture.client().send(ClientRequest(method: .get, url: fixture.url(path)))
            #expect(response.headers.values("Strict-Transport-Security") == ["max-age=86400"])
        }
        let refused = try await fixture.openssl(input: "GET /hello HTTP/1.1\nHost: a\r\n\r\n")
        #expect(refused.output.contains("Strict-Transport-Security: max-age=86400\r\n"))
        let large = try await fixture.openssl(
            input: "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 9999999\r\n\r\nabc")
        #expect(large.output.contains("Strict-Transport-Security: max-age=86400\r\n"))
        await fixture.stop()
    }

    @Test func `without the option there is no Strict-Transport-Security`() async throws {
        let fixture = try await TLSFixture()
        let response = try await fixture.client().send(ClientRequest(method: .get, url: fixture.url("/hello")))
        #expect(response.headers["Strict-Transport-Security"] == nil)
        await fixture.stop()
    }

    @Test(arguments: [
        ("", true, false), ("X-Forwarded-Proto: http\r\n", true, false), ("X-Forwarded-Proto: https\r\n", true, true),
        ("X-Forwarded-Proto: https\r\n", false, false), ("X-Forwarded-Proto: https, http\r\n", true, false),
    ])
    func `over plain HTTP it is sent only if a trusted proxy reports TLS`(
        field: String, isTrusted: Bool, isSent: Bool
    ) async throws {
        let server = try await TestServer(
            TestServer.configuration {
                $0.strictTransport = StrictTransport(maximumAge: .seconds(60)) { _ in isTrusted }
            })
        let response = try server.exchange("GET /hello HTTP/1.1\r\nHost: a\r\n\(field)Connection: close\r\n\r\n")
        #expect(response.hasPrefix("HTTP/1.1 200"))
        #expect(response.contains("Strict-Transport-Security: max-age=60\r\n") == isSent)
        await server.stop()
    }
}
