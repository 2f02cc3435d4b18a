import HTTPMessages
import HTTPServer
import TestSupport
import Testing

/// Responses of libmicrohttpd that are used for more than one request.
@Suite("Responses that are used again", .blocking, .timeLimit(.minutes(5)))
struct ReusedResponseTests {
    private static var router: Router {
        var router = Router()
        router.on(.get, "/words/{word}", parameters: String.self) { _, word in .text(word) }
        router.on(.get, "/fill/{letter}", parameters: String.self) { _, letter in
            .text(String(repeating: letter, count: 4_096))
        }
        router.on(.get, "/cookie") { _ in
            var response = ServerResponse.text("secret")
            response.headers["Set-Cookie"] = "a=secret"
            return response
        }
        router.on(.get, "/own-protection") { _ in
            ServerResponse(headers: ["X-Content-Type-Options": "own"], body: Array("own...".utf8))
        }
        return router
    }

    /// One loop, so that all connections share its responses.
    private static func with(_ body: (TestServer) async throws -> Void) async throws {
        let server = try await TestServer(TestServer.configuration { $0.loops = 1 }, router: router)
        try await attempt {
            try await body(server)
        } finally: {
            await server.stop()
        }
    }

    private static func requests(_ paths: [String]) -> String {
        paths.enumerated().map { index, path in
            let last = index == paths.count - 1 ? "Connection: close\r\n" : ""
            return "GET \(path) HTTP/1.1\r\nHost: a\r\n\(last)\r\n"
        }.joined()
    }

    @Test("bodies of the same length are not confused, and every response has its own id")
    func sameLength() async throws {
        try await Self.with { server in
            let sockets = try (0..<8).map { _ in try server.connect() }
            let words = (0..<8).map { socket in (100..<160).map { "word-\(socket)-\($0)" } }
            for (socket, words) in zip(sockets, words) { try socket.write(Self.requests(words.map { "/words/\($0)" })) }
            var ids: Set<String> = []
            for (socket, words) in zip(sockets, words) {
                let responses = RawResponse.all(in: Array(try socket.readToEnd().utf8))
                #expect(responses.map(\.text) == words)
                for response in responses {
                    ids.insert(try #require(response["x-request-id"]))
                    for name in ["x-request-id:", "x-content-type-options: nosniff", "content-type:", "date:"] {
                        #expect(response.fields.count { $0.lowercased().hasPrefix(name) } == 1, "\(response.fields)")
                    }
                }
            }
            #expect(ids.count == 8 * 60)
            // A client cannot see whether a response is used again.
            let orders = try (1...3).map { _ in
                try server.exchange(Self.requests(["/words/ordered"])).split(separator: "\r\n").dropFirst()
                    .map { $0.prefix { $0 != ":" } }
            }
            #expect(Set(orders).count == 1)
        }
    }

    @Test("a response that a client does not read is not used for another one")
    func slowReader() async throws {
        try await Self.with { server in
            // More than the buffers of the system can store.
            let count = 6_000
            let slow = try server.connect()
            try slow.write(Self.requests(Array(repeating: "/fill/a", count: count)))
            for _ in 1...40 {
                let other = RawResponse.all(in: Array(try server.exchange(Self.requests(["/fill/b", "/fill/c"])).utf8))
                #expect(other.map { Set($0.text) } == [["b"], ["c"]])
            }
            let all = RawResponse.all(in: Array(try slow.readToEnd().utf8))
            #expect(all.count == count && all.allSatisfy { $0.body.count == 4_096 && Set($0.body) == [0x61] })
        }
    }

    @Test("fields of one response are not in the next one of the same length")
    func fields() async throws {
        try await Self.with { server in
            for _ in 1...3 {
                let paths = ["/words/secret", "/cookie", "/words/public", "/own-protection", "/words/closed"]
                let responses = RawResponse.all(in: Array(try server.exchange(Self.requests(paths)).utf8))
                #expect(responses.map(\.text) == ["secret", "secret", "public", "own...", "closed"])
                #expect(responses.map { $0["set-cookie"] } == [nil, "a=secret", nil, nil, nil])
                #expect(
                    responses.map { $0["x-content-type-options"] } == [
                        "nosniff", "nosniff", "nosniff", "own", "nosniff",
                    ])
                #expect(responses.map { $0.isLast } == [false, false, false, false, true])
            }
            let head = try server.exchange("HEAD /words/secret HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            #expect(head.contains("Content-Length: 6\r\n") && head.hasSuffix("\r\n\r\n"))
        }
    }
}
