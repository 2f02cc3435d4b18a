import Foundation
import TestSupport
import Testing

/// As many clients as the system allows, each of which sends as much as it may and then waits.
///
/// The bound is 256 MiB for 20,000 connections. Where the system allows fewer, it is lower by what each of the missing ones would
/// take while it waits to be read.
@Suite("Memory for many connections", .blocking, .serialized, .inTurn, .timeLimit(.minutes(20)))
struct MemoryTests {
    private static let most = 20_000
    private static let boundKiB = 256 << 10
    /// What a connection takes that waits to be read.
    private static let heldKiB = 5
    /// The test holds one descriptor per connection. It leaves ten thousand for `IdleConnectionsTests` and some hundred for
    /// other tests in this process.
    private static let connectionCount = min(most, Descriptors.raiseLimit() - 10_500) - 500

    private static let large = String(repeating: "x", count: 16_000)
    private static let login = "POST /im/auth/login HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
    private static let search = "POST /im/search/metadata HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
    private static let many = (0..<90).map { "X\($0): \(String(repeating: "y", count: 70))\r\n" }.joined()

    /// The requests of the clients; the last byte never comes.
    static let kinds: [(name: String, requests: [String])] = [
        ("heads", ["GET /healthz HTTP/1.1\r\nHost: a\r\nX: \(large.prefix(8_000))"]),
        ("request lines", ["GET /\(large)"]),
        ("bodies", [login + "Content-Length: 16001\r\n\r\n\(large)"]),
        ("bodies in chunks", [login + "Transfer-Encoding: chunked\r\n\r\n3E80\r\n\(large)"]),
        ("heads and bodies", [login + many + "Content-Length: 16001\r\n\r\n\(large)"]),
        ("answered requests", ["GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"]),
        (
            "everything",
            [
                "", "GET /\(large)", login + "Content-Length: 16001\r\n\r\n\(large)",
                login + many + "Transfer-Encoding: chunked\r\n\r\n3E80\r\n\(large)",
                search + "Content-Length: 1048576\r\n\r\n\(large)", "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n",
            ]
        ),
    ]

    @Test(
        "the maximum number of clients with the largest allowed requests uses bounded memory",
        .enabled(if: connectionCount >= 4_000, "The limit of descriptors is below 15,000."), arguments: kinds)
    func bounded(_ kind: (name: String, requests: [String])) async throws {
        let fixture = try SystemFixture([
            "LATCHD_LOOPS": "2", "LATCHD_LIMITS_CONNECTIONS_PER_ADDRESS": "100000", "LATCHD_LOG_LEVEL": "error",
            "LATCHD_LIMITS_HEADER_TIMEOUT": "20s", "LATCHD_LIMITS_BODY_TIMEOUT": "20s",
            "LATCHD_DIALECTS_IMMICH_ENABLED": "true", "LATCHD_DIALECTS_IMMICH_PREFIX": "/im",
        ])
        let gateway = try await fixture.startGateway()

        let clients = try (0..<Self.connectionCount).map { index in
            let socket = try RawSocket(port: gateway.port)
            let request = Array(kind.requests[index % kind.requests.count].utf8)
            // A refused connection holds no memory.
            _ = request.withUnsafeBytes {
                send(socket.descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
            }
            return socket
        }
        // Connections lose their memory at their time-out, so a new client is served in the end. By then the server has read
        // everything that it is going to read.
        let good = try RawSocket(port: gateway.port)
        try good.write("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try good.readResponse().head.hasPrefix("HTTP/1.1 200 "))

        let use = try gateway.use()
        let bound = Self.boundKiB - (Self.most - 500 - clients.count) * Self.heldKiB
        print("\(clients.count) connections with \(kind.name): \(use.peakKiB >> 10) MiB at most of \(bound >> 10).")
        #expect(use.peakKiB < bound, "\(kind.name)")
    }
}
