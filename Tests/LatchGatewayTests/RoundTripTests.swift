import Crypto
import Database
import FoundationEssentials
import HTTPMessages
import TestSupport
import Testing

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayHTTP
@testable import LatchGateway
@testable import SignInBridge

/// The table of round trips in docs/gateway.md, with a real PostgreSQL server.
@Suite("Round trips to PostgreSQL", .timeLimit(.minutes(20)))
struct RoundTripTests {
    @Test("each operation needs as many round trips as docs/gateway.md says, and the table has no other rows")
    func table() async throws {
        let location = try await TestDatabase.server()
        let change: (inout GatewaySettings) -> Void = {
            $0.database = location
            $0.codes = .database
        }
        try await BridgeFixture.with(["google"], change) { fixture in
            let documented = try Self.documented()
            var measured: [String: String] = [:]
            for (operation, count) in try await Self.measure(fixture) { measured[operation] = "\(count)" }
            #expect(measured == documented)
        }
    }

    /// Returns the rows of the table in the document.
    private static func documented() throws -> [String: String] {
        let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let lines = try String(contentsOf: package.appending(path: "docs/gateway.md"), encoding: .utf8)
            .split(separator: "\n", omittingEmptySubsequences: false)
        let start = try #require(lines.firstIndex(of: "| operation | round trips to PostgreSQL |"))
        var rows: [String: String] = [:]
        for line in lines[(start + 2)...].prefix(while: { $0.hasPrefix("|") }) {
            let cells = line.split(separator: "|").map { $0.trimmingPrefix(" ") }
            rows[String(cells[0].dropLast())] = String(cells[1].dropLast())
        }
        return rows
    }

    private static func measure(_ fixture: BridgeFixture) async throws -> [(String, Int)] {
        let (base, gateway) = (fixture.base, fixture.base.gateway)
        let (database, sessions) = (gateway.stores.database, gateway.stores.sessions)
        let person = try await base.addPerson()
        let key = try await gateway.stores.apiKeys.create(for: person, name: "k", scopes: ["app"], maximum: 100)
        _ = try await database.externalChanges()
        await gateway.flush()

        var counts: [(String, Int)] = []
        func count(_ operation: String, _ body: () async throws -> Void) async throws {
            let before = database.roundTripCount
            try await body()
            counts.append((operation, database.roundTripCount - before))
        }

        func authenticate(_ token: String?) async throws {
            let authentication = try await gateway.issuer.authenticate(try token.orThrow)
            #expect(authentication.isValid)
        }
        func authenticateKey() async throws {
            let known = try await gateway.stores.apiKeys.authenticate(key.key.reveal())
            #expect(known != nil)
        }

        let app = AppSignIn()
        var token: String?
        try await count("the first sign-in with a password from an address") { _ = try await base.token() }
        try await count("sign-in with a password") { token = try await base.login().token }
        try await count("a request with another token") { try await authenticate(token) }
        try await count("a request with another key") { try await authenticateKey() }
        try await count("a request with a token or key in memory") {
            try await authenticate(token)
            try await authenticateKey()
        }
        try await count("a new token for an old one (`/auth/mobile/refresh`)") {
            let response = try await base.refresh(token)
            #expect(response.status == 200)
            token = response.token ?? token
        }
        let browser = fixture.browser()
        var request = FormFields()
        try await count("a sign-in at a provider: the start") { request = try await fixture.begin(app, in: browser) }
        var code: String?
        try await count("a sign-in at a provider: the return to the gateway") {
            let response = try await fixture.returnToGateway(try fixture.google.approve(request), in: browser)
            code = try BridgeFixture.fields(of: response)["code"]
        }
        try await count("a sign-in at a provider: the exchange of the code") {
            let response = try await fixture.exchange(code, app.verifier)
            #expect(response.status == 200)
        }
        var tokens: [String] = []
        for _ in 0..<3 { tokens.append(try await base.token()) }
        await gateway.flush()
        base.clock.advance(400)
        for token in tokens { try await authenticate(token) }
        try await count("the uses of up to 500 sessions, each second") { try await gateway.issuer.flush() }
        try await authenticateKey()
        try await count("the uses of up to 500 keys, each second") { try await gateway.stores.apiKeys.flush() }
        try await count("the end of a session by its token") {
            let response = try await base.logout(token)
            #expect(response.status < 300)
        }
        let listed = try await sessions.list()
        let session = try #require(listed.first { $0.endReason == nil }).id
        try await count("the end of a session by an administrator") { _ = try await sessions.revoke(session) }
        try await count("the question for changes, ten times a second") { _ = try await database.externalChanges() }
        try await count("a write of one statement") {
            _ = try await database.write { try $0.run(Statement("DELETE FROM one_time_codes")) }
        }
        return counts
    }
}
