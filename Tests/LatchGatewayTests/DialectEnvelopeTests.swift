import FoundationEssentials
import HTTPMessages
import Testing

@testable import GatewayConfiguration
@testable import GatewayDialects
@testable import LatchGateway

/// One gateway that serves all families at their default prefixes, two of which are the same and two of which are
/// empty.
@Suite("The server's own errors", .timeLimit(.minutes(20)))
struct DialectEnvelopeTests {
    struct Row: CustomTestStringConvertible, Sendable {
        let method: String
        let path: String
        /// The member of the error's JSON that only this family has.
        let member: String
        var field: String?

        var testDescription: String { "\(method) \(path)" }
    }

    private static let rows = [
        Row(method: "POST", path: "/api/auth/mobile/login", member: "detail"),
        Row(method: "PUT", path: "/api/users/me", member: "message", field: "X-Correlation-ID"),
        Row(
            method: "DELETE", path: "/api/sessions/0a0a0a0a-0000-4000-8000-000000000000", member: "message",
            field: "X-Correlation-ID"),
        Row(method: "PUT", path: "/api/profile", member: "title"),
        Row(method: "POST", path: "/auth/token", member: "error"),
    ]

    @Test(
        "a body that is too large is refused in the format of the family whose route it is, whichever families share the prefix",
        arguments: rows)
    func tooLarge(_ row: Row) async throws {
        try await TimeTrackerBench.with { settings in
            settings.onyx.isEnabled = true
            settings.timeTracker.prefix = ""
            settings.immich.isEnabled = true
            settings.relateMail.isEnabled = true
        } _: { bench in
            let answer = try await bench.bench.http.send(
                row.method, row.path, headers: [("Content-Type", "application/json")],
                body: String(repeating: "x", count: 40_000))
            #expect(answer.status == 413)
            #expect(answer.json?[row.member] != nil, "\(answer.text)")
            if let field = row.field { #expect(answer.headers[field] != nil) }
        }
    }
}
