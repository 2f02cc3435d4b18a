import Crypto
import FoundationEssentials
import PostgreSQL
import TestSupport
import Testing

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import LatchGateway

@Suite("Uses of rows that another program has locked")
struct LockedUsesTests {
    @Test("a locked session delays only the uses of its batch, and they are written later")
    func lockedSession() async throws {
        let server = try await PostgreSQLServer.running()
        let address = try await server.createDatabase()
        let name = PostgreSQLServer.name(ofDatabaseAt: address)
        let location = try TestDatabase.location(at: address)
        let change: (inout GatewaySettings) -> Void = {
            $0.database = location
            $0.sessions.maximumPerPerson = 1_000
        }
        try await GatewayFixture.with(change) { fixture in
            let (issuer, person) = (fixture.gateway.issuer, try await fixture.addPerson())
            var tokens: [Secret] = []
            for _ in 0..<1_000 { tokens.append(try await issuer.issue(for: person, device: SessionDevice()).token) }
            fixture.clock.advance(400)
            for token in tokens { #expect(try await issuer.authenticate(token.reveal()).isValid) }
            // The last use that is stored, before and after: 400 seconds later.
            let used = "SELECT count(*) FROM sessions WHERE last_used_at > created_at"
            let end = try await server.hold("UPDATE sessions SET last_used_at = last_used_at WHERE rowid = 1", in: name)

            await #expect(throws: (any Error).self) { try await issuer.flush() }
            #expect(try await server.query(used, in: name) == "500\n")

            try await end()
            try await issuer.flush()
            #expect(try await server.query(used, in: name) == "1000\n")
        }
    }
}
