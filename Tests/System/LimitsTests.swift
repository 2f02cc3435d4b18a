import Foundation
import TestSupport
import Testing

/// Too much, too slow, and many at once, against the built program.
@Suite("Large, slow and pipelined requests", .blocking, .inTurn, .timeLimit(.minutes(20)))
struct LimitsTests {
    private static let login = "POST /api/auth/mobile/login HTTP/1.1\r\nHost: a\r\n"
    private static let search = "POST /im/search/metadata HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
    private static let alive = "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"
    private static let large = String(repeating: "x", count: 200_000)

    static let tooLarge: [(name: String, request: String, status: Int)] = [
        ("request line", "GET /\(large) HTTP/1.1\r\nHost: a\r\n\r\n", 414),
        ("field", "GET /healthz HTTP/1.1\r\nHost: a\r\nX: \(large)\r\n\r\n", 431),
        (
            "count of fields", "GET /healthz HTTP/1.1\r\nHost: a\r\n\(String(repeating: "X: y\r\n", count: 200))\r\n",
            431
        ),
        ("body", login + "Content-Length: 200000\r\n\r\n\(large)", 413),
        ("body in chunks", login + "Transfer-Encoding: chunked\r\n\r\n30D40\r\n\(large)\r\n0\r\n\r\n", 413),
        ("said length", login + "Content-Length: 999999999999999999\r\n\r\n", 413),
        ("body that only somebody signed in may send", search + "Content-Length: 1048576\r\n\r\n\(large)", 401),
        (
            "such a body in chunks", search + "Transfer-Encoding: chunked\r\n\r\n30D40\r\n\(large)\r\n0\r\n\r\n",
            401
        ),
        ("said length that no number holds", login + "Content-Length: 99999999999999999999999999\r\n\r\n", 413),
    ]

    @Test("too large requests are refused, also many concurrent ones, without buffering them", arguments: tooLarge)
    func large(_ row: (name: String, request: String, status: Int)) async throws {
        let gateway = try await SystemFixture([
            "LATCHD_LIMITS_BODY_TIMEOUT": "2s", "LATCHD_DIALECTS_IMMICH_ENABLED": "true",
            "LATCHD_DIALECTS_IMMICH_PREFIX": "/im",
        ]).startGateway()
        let socket = try RawSocket(port: gateway.port)
        try? socket.write(row.request + Self.alive)
        let answers = RawResponse.all(in: Array(try socket.readToEnd().utf8))
        #expect(answers.first?.status == row.status)
        #expect(!answers.contains { $0.status < 400 })
        let before = try gateway.use()

        let clients = try (0..<100).map { _ in try RawSocket(port: gateway.port) }
        for socket in clients { try? socket.write(row.request) }
        for socket in clients { _ = try? socket.readSome() }

        #expect(try gateway.use().peakKiB < before.peakKiB + 16_384)
        let good = try RawSocket(port: gateway.port)
        try good.write(Self.alive)
        #expect(try good.readResponse().head.hasPrefix("HTTP/1.1 200 "))
    }

    @Test("a hundred clients that send single bytes are disconnected at the time limit, while others are served")
    func slow() async throws {
        let fixture = try SystemFixture(["LATCHD_LIMITS_HEADER_TIMEOUT": "1s", "LATCHD_LIMITS_BODY_TIMEOUT": "1s"])
        let gateway = try await fixture.startGateway()
        let starts = [
            "GET /hea", Self.alive + "GET /healthz HTTP/1.1\r\nHost: a\r\nX: ", Self.login + "X: ",
            Self.login + "Content-Length: 16000\r\n\r\n", Self.login + "Transfer-Encoding: chunked\r\n\r\n3000\r\n",
        ]
        let slow = try (0..<100).map { index in
            let socket = try RawSocket(port: gateway.port)
            try socket.write(starts[index % starts.count])
            return socket
        }

        var open = Set(slow.indices)
        var answers = [[UInt8]](repeating: [], count: slow.count)
        let good = try RawSocket(port: gateway.port)
        while !open.isEmpty {
            try good.write(Self.alive)
            #expect(try good.readResponse().head.hasPrefix("HTTP/1.1 200 "))
            for index in open {
                try? slow[index].write("x")
                var waiting = pollfd(fd: slow[index].descriptor, events: Int16(POLLIN), revents: 0)
                guard poll(&waiting, 1, 0) == 1 else { continue }
                guard let chunk = try? slow[index].readSome(), !chunk.isEmpty else {
                    open.remove(index)
                    continue
                }
                answers[index] += chunk
            }
        }

        for index in slow.indices {
            let statuses = RawResponse.all(in: answers[index]).map(\.status)
            let wanted = [[], [200, 408], [408], [408], [408]][index % starts.count]
            #expect(statuses == wanted || statuses == wanted + [400], "\(starts[index % starts.count])")
        }
    }

    @Test("a hundred pipelined requests get responses in order, and those after a refused one are dropped")
    func pipelined() async throws {
        let gateway = try await SystemFixture().startGateway()
        let kinds = [
            ("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n", 200), ("GET /api/me HTTP/1.1\r\nHost: a\r\n\r\n", 403),
            ("GET /none HTTP/1.1\r\nHost: a\r\n\r\n", 404), ("DELETE /api/me HTTP/1.1\r\nHost: a\r\n\r\n", 405),
            (Self.login + "Content-Length: 3\r\n\r\nabc", 422), ("GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n", 200),
            ("POST /api/auth/mobile/refresh HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n", 401),
        ]
        let row = (0..<100).map { kinds[$0 % kinds.count] }
        for bad in ["", "GET /healthz HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n"] {
            let socket = try RawSocket(port: gateway.port)
            try socket.write(
                row.map(\.0).joined() + bad + row.map(\.0).joined()
                    + "GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            let statuses = RawResponse.all(in: Array(try socket.readToEnd().utf8)).map(\.status)
            #expect(statuses == row.map(\.1) + (bad.isEmpty ? row.map(\.1) + [200] : [400]))
        }
    }
}
