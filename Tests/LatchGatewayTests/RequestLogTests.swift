import FoundationEssentials
import HTTPMessages
import TestSupport
import Testing

@testable import GatewayCore
@testable import GatewayHTTP
@testable import HTTPServer
@testable import LatchGateway

/// The lines of the log that anybody can cause are bounded.
@Suite(.timeLimit(.minutes(20)))
struct RequestLogTests {
    private static func log(_ status: Int, path: String = "/x", from address: String, _ fixture: GatewayFixture) throws
    {
        fixture.gateway.logAccess(
            AccessRecord(
                id: "1", method: .post, path: path, route: nil, status: HTTPStatus(rawValue: status), bytes: 0,
                duration: .zero, peer: .ipv4(try #require(IPAddress(address)), port: 1), traceID: nil))
    }

    private static func lines(_ fixture: GatewayFixture, _ level: String) -> [Substring] {
        fixture.lines.text.split(separator: "\n").filter {
            $0.contains("\"Request.\"") && $0.contains("\"level\":\"\(level)\"")
        }
    }

    @Test("one address has an eighth of the warnings about requests, and the next line has the number that is left out")
    func warnings() async throws {
        try await GatewayFixture.with { fixture in
            for _ in 0..<100 { try Self.log(503, from: "203.0.113.9", fixture) }
            #expect(Self.lines(fixture, "warning").count == 7)
            try Self.log(500, from: "203.0.113.10", fixture)
            #expect(Self.lines(fixture, "warning").count == 8)
            for number in 0..<200 { try Self.log(503, from: "198.51.100.\(number)", fixture) }
            #expect(Self.lines(fixture, "warning").count == LineLimit.maximum)

            fixture.clock.advance(60)
            try Self.log(503, from: "203.0.113.9", fixture)
            #expect(Self.lines(fixture, "warning").last?.contains("\"not_logged\":241") == true)
        }
    }

    @Test("a request that the server does not implement is no warning, and a long path is cut")
    func longPath() async throws {
        try await GatewayFixture.with { fixture in
            try Self.log(501, path: String(repeating: "/aaaa", count: 1_600), from: "203.0.113.9", fixture)
            #expect(Self.lines(fixture, "warning").isEmpty)
            let line = try #require(Self.lines(fixture, "debug").last)
            #expect(line.contains("/aaaa (cut)\"") && line.utf8.count < 500)
        }
    }

    @Test("errors of requests have at most 60 lines a minute")
    func failures() async throws {
        try await GatewayFixture.with { fixture in
            let error = GatewayError(.file, "A test.")
            for _ in 0..<100 { fixture.gateway.stores.log.failure("A request failed.", error, request: "1") }
            func lines() -> [Substring] {
                fixture.lines.text.split(separator: "\n").filter { $0.contains("A request failed.") }
            }
            #expect(lines().count == LineLimit.maximum)
            fixture.clock.advance(60)
            fixture.gateway.stores.log.failure("A request failed.", error, request: "1")
            #expect(lines().last?.contains("\"not_logged\":40") == true)
        }
    }
}
