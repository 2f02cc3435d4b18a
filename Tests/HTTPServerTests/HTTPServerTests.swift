import Foundation
import HTTPMessages
import HTTPServer
import TestSupport
import Testing

@Suite("A server on loopback", .blocking, .timeLimit(.minutes(20)))
struct HTTPServerTests {
    @Test("a connection serves sequential requests, also with delayed responses")
    func keepAlive() async throws {
        let server = try await TestServer()
        let socket = try server.connect()
        for path in ["/hello", "/later", "/hello", "/later"] {
            try socket.write("GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n")
            let (head, body) = try socket.readResponse()
            #expect(head.hasPrefix("HTTP/1.1 200 OK"))
            #expect(body == path.dropFirst())
        }
        await server.stop()
    }

    @Test("pipelined requests get responses in order")
    func pipelining() async throws {
        let server = try await TestServer()
        let paths = ["/items/1", "/later", "/items/2", "/later", "/items/3"]
        let text = try server.exchange(
            paths.map { "GET \($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined()
                + "GET /hello HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        let bodies = text.components(separatedBy: "\r\n\r\n").dropFirst().map { $0.components(separatedBy: "HTTP")[0] }
        #expect(bodies == ["item 1", "later", "item 2", "later", "item 3", "hello"])
        await server.stop()
    }
}
