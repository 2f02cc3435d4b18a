import FoundationEssentials
import GatewayHTTP
import HTTPMessages
import TestSupport
import Testing

@testable import GatewayConfiguration
@testable import GatewayDialects
@testable import HTTPServer
@testable import LatchGateway

/// One gateway that serves all families at their default prefixes, of which two are `/api` and two are empty.
@Suite("The server's errors", .timeLimit(.minutes(20)))
struct DialectEnvelopeTests {
    private static func with(_ body: (GatewayFixture) async throws -> Void) async throws {
        try await TimeTrackerFixture.with { settings in
            settings.onyx.isEnabled = true
            settings.timeTracker.prefix = ""
            settings.immich.isEnabled = true
            settings.relateMail.isEnabled = true
        } _: { fixture in
            try await body(fixture.base)
        }
    }

    /// Returns each route of a family, with an example of its path.
    private static func routes(of dialect: any GatewayDialect) -> [(method: HTTPMethod, path: String)] {
        var router = Router()
        dialect.add(to: &router)
        return router.routes.map { route in
            let path = route.pattern.replacing("{}", with: "0a0a0a0a-0000-4000-8000-000000000000")
            return (route.method, path.replacing("{*}", with: "x"))
        }
    }

    /// What tells the families apart: the media type, the names of the JSON's members, and Immich's own field.
    private static func form(_ headers: HTTPHeaders, _ body: [UInt8]) -> String {
        let members = (try? JSONValue(parsing: body))?.members?.map(\.name).sorted() ?? []
        return "\(headers["Content-Type"] ?? "none") \(members) \(headers["X-Correlation-ID"] != nil)"
    }

    private static func own(_ dialect: any GatewayDialect, _ status: HTTPStatus, _ path: String) -> String {
        let request = RefusedRequest(id: "id", method: .get, path: path, headers: [:])
        let response = dialect.serverError(status, "A sentence.", for: request)
        guard case .bytes(let body) = response.body else { return "no bytes" }
        return form(response.headers, body)
    }

    @Test("on every route of every family, a body that is too large is refused in the family's format")
    func tooLarge() async throws {
        try await Self.with { fixture in
            var count = 0
            for dialect in fixture.gateway.dialects {
                for (method, path) in Self.routes(of: dialect) {
                    let response = try await fixture.http.send(
                        method.rawValue, path, headers: [("Content-Type", "application/json")],
                        body: String(repeating: "x", count: 40_000))
                    // A route with a larger limit asks for a token first.
                    guard response.status == 413 else { continue }
                    count += 1
                    #expect(
                        Self.form(response.headers, response.body) == Self.own(dialect, .contentTooLarge, path),
                        "\(method) \(path)")
                }
            }
            #expect(count > 60)
        }
    }

    @Test("on every route of every family, another site's host name and an unknown method are refused in its format")
    func otherErrors() async throws {
        try await Self.with { fixture in
            for dialect in fixture.gateway.dialects {
                for (method, path) in Self.routes(of: dialect) {
                    let misdirected = try await fixture.http.send(
                        method.rawValue, path, host: "evil.example",
                        body: [.get, .head].contains(method) ? nil : "")
                    #expect(misdirected.status == 421)
                    #expect(
                        Self.form(misdirected.headers, misdirected.body)
                            == Self.own(dialect, .misdirectedRequest, path), "\(method) \(path)")
                    let unknown = try await fixture.http.send("PROPFIND", path)
                    #expect(unknown.status == 405)
                    #expect(
                        Self.form(unknown.headers, unknown.body) == Self.own(dialect, .methodNotAllowed, path),
                        "\(path)")
                }
            }
        }
    }
}
