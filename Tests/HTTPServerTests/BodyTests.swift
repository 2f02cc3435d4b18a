import Foundation
import HTTPMessages
import HTTPServer
import TestSupport
import Testing

@Suite("Bodies and limits", .blocking, .timeLimit(.minutes(20)))
struct BodyTests {
    struct Login: Codable { var email: String }

    static var router: Router {
        var router = Router.sample
        router.on(.post, "/json") { request in
            do throws(RequestError) {
                return .text(try request.json(Login.self).email)
            } catch {
                return .text(error.message, status: error.status)
            }
        }
        router.on(.post, "/short", maximumBodyBytes: 10) { request in
            .text(String(decoding: request.body, as: UTF8.self))
        }
        router.on(.post, "/form") { request in
            do throws(RequestError) {
                return .text(try request.form()["email"] ?? "none")
            } catch {
                return .text(error.message, status: error.status)
            }
        }
        return router
    }

    static let bodies: [(path: String, type: String, body: String, status: Int, response: String)] = [
        ("/json", "application/json", #"{"email":"a@b.c"}"#, 200, "a@b.c"),
        ("/json", "Application/JSON ; charset=utf-8", #"{"email":"a@b.c"}"#, 200, "a@b.c"),
        ("/json", "application/problem+json", #"{"email":"a@b.c"}"#, 200, "a@b.c"),
        ("/json", "text/plain", #"{"email":"a@b.c"}"#, 415, "The body's Content-Type must be application/json."),
        ("/json", "text/plain;+json", "{}", 415, "The body's Content-Type must be application/json."),
        ("/json", "text/plain;\u{301}+json", "{}", 415, "The body's Content-Type must be application/json."),
        ("/json", "text/plain\u{600};+json", "{}", 415, "The body's Content-Type must be application/json."),
        ("/json", "text/plain;\u{FE0F}+json", "{}", 415, "The body's Content-Type must be application/json."),
        ("/json", "application/json;\u{301}a", #"{"email":"a@b.c"}"#, 200, "a@b.c"),
        ("/json", "application/json", #"{"email":1}"#, 400, "The member 'email' of the JSON has the wrong type."),
        ("/json", "application/json", "", 400, "The body is not JSON."),
        ("/form", "application/x-www-form-urlencoded", "email=a%40b.c&x=1", 200, "a@b.c"),
        (
            "/form", "application/json", "email=a", 415,
            "The body's Content-Type must be application/x-www-form-urlencoded."
        ),
        (
            "/form", "application/x-www-form-urlencoded", "email=%4", 400,
            "Field 1 of the form is not percent-encoded UTF-8."
        ),
    ]

    @Test("JSON and forms are decoded by their type, and a mismatching body is reported", arguments: bodies)
    func reading(_ row: (path: String, type: String, body: String, status: Int, response: String)) async throws {
        let server = try await TestServer(router: Self.router)
        let text = try server.exchange(
            "POST \(row.path) HTTP/1.1\r\nHost: a\r\nContent-Type: \(row.type)\r\n"
                + "Content-Length: \(row.body.utf8.count)\r\nConnection: close\r\n\r\n\(row.body)")
        #expect(text.hasPrefix("HTTP/1.1 \(row.status) "))
        #expect(text.hasSuffix("\r\n\r\n\(row.response)"))
        await server.stop()
    }

    @Test("a chunked body is received completely, without extensions and trailers, and ends its connection")
    func chunks() async throws {
        let server = try await TestServer()
        let text = try server.exchange(
            "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "3;x=y\r\nabc\r\nA\r\n0123456789\r\n0\r\nX-Trailer: t\r\n\r\n")
        #expect(text.contains("\r\nConnection: close\r\n"))
        #expect(text.hasSuffix("\r\n\r\nabc0123456789"))
        await server.stop()
    }

    @Test("a body of exactly the limit is accepted, and one byte more gets 413", arguments: [false, true])
    func bodyLimit(inChunks: Bool) async throws {
        let server = try await TestServer()
        for count in [1_048_576, 1_048_577] {
            let body = String(repeating: "x", count: count)
            let framing =
                inChunks
                ? "Transfer-Encoding: chunked\r\n\r\n\(String(count, radix: 16))\r\n\(body)\r\n0\r\n\r\n"
                : "Content-Length: \(count)\r\n\r\n\(body)"
            let socket = try server.connect()
            try socket.write("POST /echo HTTP/1.1\r\nHost: a\r\nConnection: close\r\n" + framing)
            let (head, response) = try socket.readResponse()
            if count == 1_048_576 {
                #expect(head.hasPrefix("HTTP/1.1 200 ") && response.utf8.count == count)
            } else {
                #expect(head.hasPrefix("HTTP/1.1 413 ") && head.contains("Connection: close"))
                #expect(response == "The request's body is too large.\n")
            }
        }
        await server.stop()
    }

    @Test("a route's own limit applies to its body", arguments: [false, true])
    func routeLimit(inChunks: Bool) async throws {
        let server = try await TestServer(router: Self.router)
        for (count, status) in [(10, 200), (11, 413)] {
            let body = String(repeating: "x", count: count)
            let framing =
                inChunks
                ? "Transfer-Encoding: chunked\r\n\r\n\(String(count, radix: 16))\r\n\(body)\r\n0\r\n\r\n"
                : "Content-Length: \(count)\r\n\r\n\(body)"
            let text = try server.exchange("POST /short HTTP/1.1\r\nHost: a\r\nConnection: close\r\n" + framing)
            #expect(text.hasPrefix("HTTP/1.1 \(status) "))
        }
        await server.stop()
    }

    @Test("the body of a request without a route is read with a limit, and the response is 404 or 405")
    func bodyWithoutRoute() async throws {
        let server = try await TestServer(router: Self.router)
        for (target, count, status) in [("/none", 50_000, 404), ("/none", 1_048_577, 413)] {
            let text = try server.exchange(
                "POST \(target) HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: \(count)\r\n\r\n"
                    + String(repeating: "x", count: count))
            #expect(text.hasPrefix("HTTP/1.1 \(status) "))
        }
        let text = try server.exchange(
            "PUT /short HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 50\r\n\r\n"
                + String(repeating: "x", count: 50))
        #expect(text.hasPrefix("HTTP/1.1 405 "))
        await server.stop()
    }

    @Test("a client with Expect: 100-continue gets 100 or 413 before it sends its body")
    func expectation() async throws {
        let server = try await TestServer()
        let small = try server.connect()
        try small.write("POST /echo HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n")
        #expect(try String(decoding: small.readSome(), as: UTF8.self) == "HTTP/1.1 100 Continue\r\n\r\n")
        try small.write("ab")
        #expect(try small.readResponse().body == "ab")
        let large = try server.exchange(
            "POST /echo HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 9999999999999999999999\r\n\r\n")
        #expect(large.hasPrefix("HTTP/1.1 413 "))
        await server.stop()
    }

    @Test("a header of exactly 8 KiB is accepted, and one byte more gets 431", arguments: ["X", "Cookie"])
    func headLimit(_ name: String) async throws {
        let server = try await TestServer()
        let frame = "GET /hello HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\(name): \r\n\r\n".utf8.count
        for (count, status) in [(8_192, 200), (8_193, 431), (60_000, 431)] {
            let value = String(repeating: "x", count: count - frame)
            let text = try server.exchange(
                "GET /hello HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\(name): \(value)\r\n\r\n")
            #expect(text.hasPrefix("HTTP/1.1 \(status) "))
        }
        await server.stop()
    }

    @Test("more than a hundred fields get 431, however small")
    func fieldLimit() async throws {
        let server = try await TestServer()
        for (count, status) in [(98, 200), (99, 431), (4_000, 431)] {
            let fields = String(repeating: "a:\r\n", count: count)
            let text = try server.exchange(
                "GET /hello HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\(fields)\r\n")
            #expect(text.hasPrefix("HTTP/1.1 \(status) "))
        }
        await server.stop()
    }

    @Test("too many parameters get 400 at once")
    func manyParameters() async throws {
        let server = try await TestServer()
        let head = "Host: a\r\nConnection: close\r\n"
        let query = try server.exchange(
            "GET /hello?a=b\(String(repeating: "&a=b", count: 1_700)) HTTP/1.1\r\n\(head)\r\n")
        #expect(query.hasPrefix("HTTP/1.1 400 ") && query.contains("The query is malformed."))
        await server.stop()
    }
}
