import TestSupport
import Testing

/// Requests that try to leave HTTP/1.1 behind a real proxy, after which no request on the connection would be checked, or to forge
/// the gateway's fields.
@Suite("Requests that leave HTTP/1.1 or forge fields behind a proxy", .blocking, .inTurn, .timeLimit(.minutes(20)))
struct ProtocolChangeTests {
    @Test("no request becomes a tunnel, hides a second one or forges a field", arguments: ProxyKind.allCases)
    func forgedRequests(kind: ProxyKind) async throws {
        try await ProxyFixture.with(kind) { fixture in
            try await withThrowingTaskGroup(of: Void.self) { group in
                var waiting = ForgedRequest.all[...]
                func startNext() {
                    guard let request = waiting.popFirst() else { return }
                    group.addTask {
                        let open = try await fixture.first(request.text("/health"))
                        #expect(open?.status != 101, "\(request.name): a tunnel")
                        if let view = open.flatMap({ BackendView($0) }) { Self.expectNothingForged(view, request.name) }
                        let closed = try await fixture.first(request.text("/photos"))
                        #expect(closed.flatMap { BackendView($0) } == nil, "\(request.name) reached the backend")
                    }
                }
                for _ in 1...16 { startNext() }
                while try await group.next() != nil { startNext() }
            }
            // A WebSocket is asked for as before, and the backend has answered everything that came before this.
            let socket = try await fixture.first(
                "GET /share/last HTTP/1.1\r\nHost: app.example.org\r\nUpgrade: WebSocket\r\nConnection: Upgrade\r\n"
                    + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
            let view = try #require(socket.flatMap { BackendView($0) }, "\(String(describing: socket))")
            #expect(view.values(like: "upgrade") == ["websocket"])
            try await fixture.backend.line(containing: "request GET /share/last")
            #expect(!fixture.backend.output.contains("tunnel"))
            #expect(!fixture.backend.output.contains("smuggled"))
            #expect(!fixture.backend.output.contains("/photos"))
        }
    }

    @Test("HTTP/2 to a proxy forges nothing either", arguments: ProxyKind.allCases)
    func http2(kind: ProxyKind) async throws {
        try await ProxyFixture.with(kind, http2: true) { fixture in
            let plain = try await fixture.view(HTTP2Request(fields: Self.start("/health")))
            try #require(plain != nil, "the proxy answers no HTTP/2")
            for (name, forge) in Self.http2Forgeries {
                var request = HTTP2Request(fields: Self.start("/health"))
                forge(&request)
                if let view = try await fixture.view(request) { Self.expectNothingForged(view, name) }
                request = HTTP2Request(fields: Self.start("/photos"))
                forge(&request)
                #expect(try await fixture.view(request) == nil, "\(name) reached the backend")
            }
            #expect(!fixture.backend.output.contains("tunnel"))
            #expect(!fixture.backend.output.contains("smuggled"))
            #expect(!fixture.backend.output.contains("/photos"))
        }
    }

    private static func expectNothingForged(_ view: BackendView, _ name: String) {
        #expect(["GET", "POST"].contains(view.method), "\(name): \(view.method)")
        #expect(view.path == "/health", "\(name): \(view.path)")
        #expect(
            ["", "websocket"].contains(view.values(like: "upgrade").joined(separator: ",")), "\(name): \(view.fields)")
        for field in ["user", "groups", "email", "name", "session"] {
            #expect(view.values(like: "x-auth-\(field)").isEmpty, "\(name): \(view.fields)")
        }
        #expect(view.values(like: "host").allSatisfy { $0.hasPrefix("app.example.org") }, "\(name): \(view.fields)")
        #expect(view.values(like: "x-forwarded-host").allSatisfy { $0 == "app.example.org" }, "\(name): \(view.fields)")
    }

    private static func start(_ path: String) -> [(name: String, value: String)] {
        [(":method", "GET"), (":scheme", "http"), (":authority", "app.example.org"), (":path", path)]
    }

    private typealias Forgery = (name: String, forge: @Sendable (inout HTTP2Request) -> Void)

    private static let http2Forgeries: [Forgery] =
        forgedFields.map { fields in
            ("\(fields)", { $0.fields += fields.map { (name: $0.0, value: $0.1) } })
        } + forgedStarts + forgedBodies

    /// Source: RFC 9113 §8.2 and §8.3; RFC 8441 §4.
    private static let forgedFields: [[(String, String)]] = [
        [("x-auth-user", "root")], [("x_auth_user", "root")], [("X-Auth-User", "root")], [("x-auth-user ", "root")],
        [("x-a", "b\r\nx-auth-user: root")], [("x-a", "b\nx-auth-user: root")], [("x-a\r\nx-auth-user", "root")],
        [("x-a: b\r\nx-auth-user", "root")], [("upgrade", "h2c"), ("connection", "Upgrade, HTTP2-Settings")],
        [("upgrade", "h2c")], [("connection", "x-auth-user"), ("x-auth-user", "root")],
        [("connection", "x-forwarded-host, authorization")], [("transfer-encoding", "chunked")], [("te", "trailers")],
        [("te", "chunked")], [("host", "evil.example")], [("host", "app.example.org")], [(":path", "/smuggled")],
        [(":authority", "evil.example")], [(":method", "CONNECT")], [(":protocol", "h2c")],
        [(":protocol", "websocket")], [("x-forwarded-uri", "/health"), ("x-original-url", "/health")],
        [("content-length", "5")], [("keep-alive", "timeout=5"), ("proxy-connection", "keep-alive")],
    ]

    /// Source: RFC 9113 §8.5; RFC 8441 §4.
    private static let forgedStarts: [Forgery] = [
        ("CONNECT", { $0.fields[0].value = "CONNECT" }),
        ("TRACE", { $0.fields[0].value = "TRACE" }),
        ("CONNECT without a path", { $0.fields = [(":method", "CONNECT"), (":authority", "app.example.org:80")] }),
        (
            "extended CONNECT",
            {
                $0.fields[0].value = "CONNECT"
                $0.fields.append((":protocol", "h2c"))
            }
        ),
        ("a method with a line end", { $0.fields[0].value = "GET /smuggled HTTP/1.1\r\nx-a: b" }),
        ("a path with a line end", { $0.fields[3].value += " HTTP/1.1\r\nx-auth-user: root\r\nx-a: b" }),
        ("an authority with a line end", { $0.fields[2].value += "\r\nx-auth-user: root" }),
        ("a scheme with a path", { $0.fields[1].value = "http://evil.example/?" }),
    ]

    private static let forgedBodies: [Forgery] = [
        (
            "a body that is longer than its length",
            {
                $0.fields[0].value = "POST"
                $0.fields.append(("content-length", "0"))
                $0.body = "GET /smuggled HTTP/1.1\r\nHost: app.example.org\r\n\r\n"
            }
        ),
        (
            "a body with a coding",
            {
                $0.fields[0].value = "POST"
                $0.fields.append(("transfer-encoding", "chunked"))
                $0.body = "0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: app.example.org\r\n\r\n"
            }
        ),
        (
            "trailers",
            {
                $0.fields[0].value = "POST"
                $0.body = "abc"
                $0.trailers = [("x-auth-user", "root"), ("x-auth-groups", "admins")]
            }
        ),
    ]
}
