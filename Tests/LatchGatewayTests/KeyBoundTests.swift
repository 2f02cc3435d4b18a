import Database
import FoundationEssentials
import TestSupport
import Testing

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayHTTP
@testable import LatchGateway

/// The bounds on the keys of a person.
@Suite(.timeLimit(.minutes(20)))
struct KeyBoundTests {
    @Test("of the revoked and expired keys of a person the last 100 are kept")
    func rows() async throws {
        try await GatewayFixture.with { fixture in
            let person = try await fixture.addPerson()
            let keys = fixture.gateway.stores.apiKeys
            for number in 0..<250 {
                let created = try await keys.create(
                    for: person, name: "key", scopes: ["app"],
                    expires: number % 2 == 0 ? fixture.clock.now + .seconds(1) : nil, maximum: 200)
                if number % 2 == 1 { try await keys.revoke(created.listed.id) }
                fixture.clock.advance(60)
            }
            fixture.clock.advance(3_600)
            _ = try await keys.create(for: person, name: "last", scopes: ["app"], maximum: 200)
            #expect(try await Self.count(fixture) == 101)
        }
    }

    @Test("a key that was created through a deleted key is still revoked with the first one")
    func successors() async throws {
        try await GatewayFixture.with { fixture in
            let person = try await fixture.addPerson()
            let keys = fixture.gateway.stores.apiKeys
            func create(_ parent: UUID?, expires: Bool = false) async throws -> UUID {
                fixture.clock.advance(1)
                return try await keys.create(
                    for: person, name: "key", scopes: ["app"],
                    expires: expires ? fixture.clock.now + .seconds(10) : nil, maximum: 400, asking: parent
                ).listed.id
            }
            let first = try await create(nil)
            let second = try await create(first, expires: true)
            let third = try await create(second, expires: true)
            let last = try await create(third)
            for _ in 0..<120 { _ = try await create(nil, expires: true) }
            fixture.clock.advance(3_600)
            _ = try await create(nil)
            #expect(try await Self.count(fixture) == 103, "The second and the third are deleted.")

            _ = try await keys.revoke(first, of: person.id, recording: AuditEvent(.apiKeyRevoked))

            #expect(try await !keys.list(of: person.id).contains { $0.id == last })
        }
    }

    private static func count(_ fixture: GatewayFixture) async throws -> Int? {
        try await fixture.gateway.stores.database.read {
            try $0.first(
                Statement("SELECT count(*) FROM api_keys") { row throws(DatabaseError) in try row.get(0) as Int })
        }
    }
}
