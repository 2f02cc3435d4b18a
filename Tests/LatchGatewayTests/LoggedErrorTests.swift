import Crypto
import FoundationEssentials
import HTTPMessages
import TestSupport
import Testing

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayDialects

/// An issuer whose store fails with words that hold the token.
private final class LeakyIssuer: SessionIssuer {
    struct Leak: Error, CustomStringConvertible {
        let token: String
        var description: String { "no such token: \(token)" }
    }

    var cachedCount: Int { 0 }
    func issue(
        for person: Person, device: SessionDevice, token shape: TokenFormat, authenticated: Date?, asking: SessionID?
    ) async throws -> SessionCredential { throw Leak(token: "none") }
    func authenticate(_ token: String) async throws -> Authentication { throw Leak(token: token) }
    func refresh(_ token: String) async throws -> SessionCredential? { throw Leak(token: token) }
    func end(_ token: String) async throws -> EndedSession? { throw Leak(token: token) }
    func invalidate(person: UUID) {}
    func invalidateAll() {}
    func flush() async throws {}
}

/// What stands in the log when something below a route fails.
@Suite(.timeLimit(.minutes(20)))
struct LoggedErrorTests {
    @Test(
        "an error of an unknown type is logged by its type only",
        arguments: [
            ("GET", "/tt/auth/me"), ("POST", "/tt/auth/logout"), ("GET", "/auth/verify"), ("POST", "/api/auth/revoke"),
        ])
    func hidesToken(_ method: String, _ path: String) async throws {
        let token = String(repeating: "s3cret", count: 7) + "x"
        let client = try IntrospectionClient(id: "backend", secret: Secret("0123456789abcdef0123456789abcdef"))
        try await GatewayFixture.with(
            { settings in
                settings.timeTracker.isEnabled = true
                settings.timeTracker.prefix = "/tt"
                settings.verify.isEnabled = true
                settings.trustedProxies = TrustedProxies([IPNetwork("127.0.0.0/8")].compactMap { $0 })
                settings.publicURL = "https://latch.example"
                settings.introspectionClients = [client]
            }, issuer: { _ in LeakyIssuer() }
        ) { fixture in
            let isForm = path == "/api/auth/revoke"
            let response = try await fixture.http.send(
                method, path,
                headers: (isForm ? [] : GatewayFixture.bearer(token)) + [
                    ("X-Forwarded-Host", "latch.example"), ("X-Forwarded-Proto", "https"),
                    ("X-Forwarded-Uri", "/"), ("X-Forwarded-Method", "GET"),
                ] + (isForm ? [("Content-Type", FormURLEncoded.mediaType)] : []),
                body: method == "POST" ? (isForm ? "token=\(token)" : "") : nil)
            #expect(response.status >= 500)
            let log = fixture.lines.text
            #expect(!log.leaks(token))
            #expect(log.contains("Leak"))
        }
    }
}
