import Crypto
import HTTPMessages
import TestSupport
import Testing

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayHTTP
@testable import LatchGateway

/// Numbers from outside, as far as they go.
@Suite(.timeLimit(.minutes(20)))
struct NumberFieldTests {
    private static let fields = [
        ("/search/metadata", "page"), ("/search/metadata", "size"), ("/download/info", "archiveSize"),
        ("/sessions", "duration"),
    ]
    private static let numbers = [
        "-9223372036854775808", "-9223372036854775807", "9223372036854775807", "9223372036854775808",
        "9007199254740991", "9007199254740992", "-9007199254740992", "-1", "0", "1", "1.5", "-0.5", "1e18", "-1e18",
        "9.3e18", "1e308", "-1e308", "1e400", "null",
        "1.55e-9223372036854775808", "1e9223372036854775807",
    ]

    @Test("No number in any field stops the gateway, and an invalid one is refused with 400", arguments: fields)
    func bodies(_ path: String, _ field: String) async throws {
        try await ImmichFixture.with {
            $0.requestRates.writes = .perMinute(100)
        } _: { fixture in
            let token = try await fixture.token()
            for number in Self.numbers {
                let body = try JSONValue(parsing: Array("{\"\(field)\":\(number)}".utf8))
                let response = try await fixture.send("POST", path, token, body)
                #expect(response.status < 500, "\(number)")
                if number.hasPrefix("-") || number.contains("e") { #expect(response.status == 400, "\(number)") }
            }
        }
    }

    @Test("No number in the address of a page stops the gateway", arguments: numbers)
    func pages(_ number: String) async throws {
        try await GatewayFixture.withPages { fixture in
            _ = try await fixture.gateway.stores.people.add(
                email: "root@example.org", isAdministrator: true, password: .init("root's own 77"))
            let root = PageBrowser(fixture)
            _ = try await root.signIn("root@example.org", "root's own 77")
            for path in ["sessions?before=", "failures?before=", "people?after=", "identities/"] {
                #expect(try await root.get("/latch/admin/\(path)\(number)").status < 500)
            }
        }
    }
}
