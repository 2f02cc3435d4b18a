import HTTPClient
import HTTPMessages
import TestSupport
import Testing

@Suite("Requests and responses", .serialized, .timeLimit(.minutes(20)))
struct MessageTests {
    @Test("Method, path, query, headers and body arrive as given")
    func request() async throws {
        let server = try await Fixture.server()
        let configuration = HTTPClient.Configuration(
            extraHeaders: ["X-Access": "key", "X-Both": "extra"], userAgent: "probe/1")
        let request = ClientRequest(
            method: .post, url: server.url("/echo?a=%20b"), headers: ["X-Both": "own", "X-Empty": ""],
            body: Array("{\"a\":1}".utf8))

        let response = try await withClient(configuration) { try await $0.send(request) }

        let seen = try Echo(response)
        #expect(response.status == .ok && response.httpVersion == .http11 && response.url == server.url("/echo?a=%20b"))
        #expect(seen.method == "POST" && seen.target == "/echo?a=%20b" && seen.body == "{\"a\":1}")
        #expect(seen.header("x-access") == "key" && seen.header("x-both") == "own" && seen.header("x-empty") == "")
        #expect(seen.header("user-agent") == "probe/1")
        #expect(seen.header("content-type") == nil && seen.header("expect") == nil)
    }

    @Test("Every method reaches the server", arguments: ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PURGE"])
    func methods(_ name: String) async throws {
        let server = try await Fixture.server()

        for body in ["", "content"] {
            let request = ClientRequest(
                method: HTTPMethod(rawValue: name), url: server.url("/echo"), body: Array(body.utf8))
            let seen = try Echo(try await withClient { try await $0.send(request) })
            #expect(seen.method == name && seen.body == body)
        }
    }

    @Test("HEAD returns the header without a body")
    func head() async throws {
        let server = try await Fixture.server()

        let response = try await withClient {
            try await $0.send(ClientRequest(method: .head, url: server.url("/bytes?bytes=7")))
        }

        #expect(response.status == .ok && response.headers["content-length"] == "7" && response.body.isEmpty)
    }

    @Test("An error status is a response with its body", arguments: [400, 401, 404, 429, 500, 503])
    func statuses(_ code: Int) async throws {
        let server = try await Fixture.server()

        let response = try await withClient {
            try await $0.send(ClientRequest(url: server.url("/status?code=\(code)")))
        }

        #expect(response.status.rawValue == code && response.body == Array("as asked".utf8))
    }

    @Test("Interim responses and trailers are not in the headers, and repeated fields stay separate")
    func unusualResponses() async throws {
        let server = try await Fixture.server()

        let response = try await withClient { try await $0.send(ClientRequest(url: server.url("/odd"))) }

        #expect(response.body == Array("ok".utf8))
        #expect(response.headers["X-Early"] == nil && response.headers["X-Trailer"] == nil)
        #expect(response.headers["X-Empty"] == "" && response.headers.values("Set-Cookie") == ["a=1", "b=2"])
    }

    @Test("A compressed body is decoded, and the limit counts decoded bytes")
    func compression() async throws {
        let server = try await Fixture.server()
        let request = ClientRequest(url: server.url("/gzip?bytes=100000"), maximumBodyBytes: 100_000)

        let response = try await withClient { try await $0.send(request) }
        var tighter = request
        tighter.maximumBodyBytes = 99_999
        let error = try await failure(tighter)

        #expect(response.body == [UInt8](repeating: 0, count: 100_000))
        #expect(error.code == .tooLarge)
    }

    @Test("One connection serves sequential requests")
    func reuse() async throws {
        let server = try await Fixture.server()

        let seen = try await withClient { client in
            var connections: Set<Int?> = []
            for _ in 1...5 {
                connections.insert(try Echo(try await client.send(ClientRequest(url: server.url("/echo")))).connection)
            }
            return connections
        }

        #expect(seen == [1])
    }

    @Test("Many concurrent requests each get their own response")
    func concurrency() async throws {
        let server = try await Fixture.server()

        try await withClient { client in
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<50 {
                    group.addTask {
                        let response = try await client.send(ClientRequest(url: server.url("/echo?\(number)")))
                        return try Echo(response).target == "/echo?\(number)"
                    }
                }
                for try await isOwn in group { #expect(isOwn) }
            }
        }
    }

    @Test(
        "Values that would break the message are refused before it is sent",
        arguments: [
            ("X-Bad", "a\r\nX-Injected: b"), ("X-Bad", "a\nb"), ("X-Bad", "a\0b"), ("X Bad", "a"), ("", "a"),
            ("Content-Length", "5"), ("Transfer-Encoding", "chunked"),
        ])
    func unsafeHeaders(_ name: String, _ value: String) async throws {
        let error = try await failure(
            ClientRequest(url: "http://127.0.0.1:1/", headers: HTTPHeaders([.init(name: name, value: value)])))
        let extra = #expect(throws: TransportError.self) {
            try HTTPClient(.init(extraHeaders: HTTPHeaders([.init(name: name, value: value)])))
        }

        #expect(error.code == .invalidRequest && extra?.code == .invalidRequest)
        #expect(!error.message.contains("Injected"))
    }

    @Test("An invalid method is refused")
    func unsafeMethod() async throws {
        let request = ClientRequest(method: HTTPMethod(rawValue: "GET / HTTP/1.1\r\nX: y"), url: "http://127.0.0.1:1/")

        #expect(try await failure(request).code == .invalidRequest)
    }
}
