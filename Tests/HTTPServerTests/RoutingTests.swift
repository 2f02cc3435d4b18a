import Foundation
import HTTPMessages
import HTTPServer
import TestSupport
import Testing

@Suite("Routes", .blocking, .timeLimit(.minutes(20)))
struct RoutingTests {
    static let answers: [(request: String, status: Int, body: String)] = [
        ("GET /", 200, "root"),
        ("GET /hello", 200, "hello"),
        ("GET /hello?x=1", 200, "hello"),
        ("GET /%68ello", 200, "hello"),
        ("GET /items/42", 200, "item 42"),
        ("GET /items/new", 200, "new"),
        ("GET /words/a%2Fb/c%20d", 200, "a/b|c d"),
        ("GET /words/..a/.b", 200, "..a|.b"),
        ("GET /query?a=1&b=2&a=x+y%26", 200, "1,x y&"),
        ("GET http://a/hello", 200, "hello"),
        ("GET /items/x", 404, "Not found.\n"),
        ("GET /items/042", 404, "Not found.\n"),
        ("GET /items/", 404, "Not found.\n"),
        ("GET /hello/", 404, "Not found.\n"),
        ("GET /items%2Fnew", 404, "Not found.\n"),
        ("GET /Hello", 404, "Not found.\n"),
        ("POST /hello", 405, "The method POST is not allowed here.\n"),
        ("BREW /hello", 405, "The method BREW is not allowed here.\n"),
        ("GET /a//hello", 400, "The path contains an empty component.\n"),
        ("GET //hello", 400, "The path contains an empty component.\n"),
        ("GET /x/../hello", 400, "The path contains a dot component.\n"),
        ("GET /x/%2e%2E/hello", 400, "The path contains a dot component.\n"),
        ("GET /./hello", 400, "The path contains a dot component.\n"),
        ("GET /hello%00", 400, "The path's escapes are invalid.\n"),
        ("GET /hello%4", 400, "The path's escapes are invalid.\n"),
        ("GET /hello%zz", 400, "The path's escapes are invalid.\n"),
        ("GET /%ff", 400, "The path's escapes are invalid.\n"),
        ("GET /hello#top", 400, "The request target contains an invalid character.\n"),
        ("GET /query?a=%zz", 400, "The query is malformed.\n"),
        ("GET hello", 400, "The request target must be a path with a leading slash or an http URL.\n"),
        ("GET http://b/hello", 400, "The host of the request target and the Host header field differ.\n"),
        ("GET http://a", 400, "The URL in the request target must have a host and a path.\n"),
        ("CONNECT a:80", 400, "The request target must be a path with a leading slash or an http URL.\n"),
        ("GET *", 400, "The request target * is allowed only for OPTIONS.\n"),
    ]

    @Test("each target has one response, and paths are not normalised", arguments: answers)
    func response(_ row: (request: String, status: Int, body: String)) async throws {
        let server = try await TestServer()
        let text = try server.exchange("\(row.request) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        #expect(text.hasPrefix("HTTP/1.1 \(row.status) "))
        #expect(text.components(separatedBy: "\r\n\r\n").dropFirst().joined() == row.body)
        await server.stop()
    }

    @Test("a method that a path does not have gets 405 with Allow")
    func methodNotAllowed() async throws {
        let server = try await TestServer()
        let text = try server.exchange("PUT /items/1 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        #expect(text.hasPrefix("HTTP/1.1 405 "))
        #expect(text.contains("\r\nAllow: GET, DELETE, HEAD, OPTIONS\r\n"))
        await server.stop()
    }

    @Test("OPTIONS gets 204 and Allow, for a path and for the whole server", arguments: ["/items/1", "*"])
    func options(_ target: String) async throws {
        let server = try await TestServer()
        let text = try server.exchange("OPTIONS \(target) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        #expect(text.hasPrefix("HTTP/1.1 204 "))
        #expect(text.contains("\r\nAllow: GET"))
        await server.stop()
    }

    @Test("HEAD is handled by GET's handler, with its length and without its body, on a persistent connection")
    func head() async throws {
        let server = try await TestServer()
        let text = try server.exchange(
            "HEAD /hello HTTP/1.1\r\nHost: a\r\n\r\nGET /items/7 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        let parts = text.components(separatedBy: "\r\n\r\n")
        #expect(parts.count == 3)
        #expect(parts[0].contains("\r\nContent-Length: 5"))
        #expect(parts[1].hasPrefix("HTTP/1.1 200 OK"))
        #expect(parts[2] == "item 7")
        await server.stop()
    }

    @Test("the server's own errors have the dialect's error format, with the request's id")
    func envelope() async throws {
        var router = Router { status, message, request in
            .json(["error": message, "id": request.id, "path": request.path], status: status)
        }
        router.on(.get, "/only") { _ in .text("x") }
        let server = try await TestServer(router: router)
        let text = try server.exchange(
            "GET /missing?token=secret-secret HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        let id = try #require(text.firstMatch(of: /X-Request-Id: ([0-9a-f]{15})\r\n/)?.1)
        #expect(text.contains("\"id\":\"\(id)\""))
        #expect(text.contains("\"path\":\"/missing\""))
        #expect(!text.leaks("token=secret-secret"))
        await server.stop()
    }

    @Test("a handler's field with a line break causes a 500 and is never sent")
    func responseSplitting() async throws {
        let server = try await TestServer()
        let text = try server.exchange("GET /split HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        #expect(text.hasPrefix("HTTP/1.1 500 "))
        #expect(!text.contains("X-Other"))
        #expect(!text.contains("Server:"))
        var events = server.events.makeAsyncIterator()
        #expect(await events.next()?.level == .error)
        await server.stop()
    }
}
