import Crypto
import Database
import FoundationEssentials
import TestSupport
import Testing

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayHTTP
@testable import LatchGateway
@testable import SignInBridge

/// What is stored of a PIN.
@Suite("Hashes of PINs", .timeLimit(.minutes(20)))
struct PINHashTests {
    private static let read = Statement("SELECT hash FROM pins WHERE person_id = ?", UUID.self) {
        row throws(DatabaseError) in try row.get(0) as String
    }
    private static let write = Statement(
        "UPDATE pins SET hash = ? WHERE person_id = ?", String.self, UUID.self)

    private static func hash(_ person: UUID, _ fixture: GatewayFixture) async throws -> String {
        try await fixture.gateway.stores.database.read { try $0.first(read, person) }.orThrow
    }

    private static func set(_ hash: String, _ person: UUID, _ fixture: GatewayFixture) async throws {
        _ = try await fixture.gateway.stores.database.write { try $0.run(write, hash, person) }
    }

    /// Whether a stored text is the hash of a text, without any key.
    private static func isHash(_ stored: String, of text: String) throws -> Bool {
        let start = try stored.firstRange(of: "$argon2id$").orThrow.lowerBound
        return PasswordHash(rawValue: String(stored[start...])).verify(Secret(text))
    }

    @Test("IM-15 nobody finds a PIN in the database without the key of the gateway")
    func keyed() async throws {
        try await GatewayFixture.with { fixture in
            let (ada, pins) = (try await fixture.addPerson().id, fixture.gateway.stores.pins)
            try await pins.set(PIN("1234"), of: ada)
            let first = try await Self.hash(ada, fixture)
            #expect(first.hasPrefix("hmac-sha256:$argon2id$"))
            #expect(try !Self.isHash(first, of: "1234"))
            #expect(try await pins.check(PIN("1234"), of: ada) == .right)
            #expect(try await pins.check(PIN("1235"), of: ada) == .wrong)

            #expect(try await pins.change(to: PIN("5678"), of: ada, by: .pin(PIN("1234"))) == .right)
            let second = try await Self.hash(ada, fixture)
            #expect(second.hasPrefix("hmac-sha256:"))
            #expect(try !Self.isHash(second, of: "5678"))
            #expect(try await pins.check(PIN("5678"), of: ada) == .right)
        }
    }

    @Test("IM-15 a hash of the PIN itself, of an earlier version, is replaced when the person types the PIN")
    func migration() async throws {
        try await GatewayFixture.with { fixture in
            let (ada, pins) = (try await fixture.addPerson().id, fixture.gateway.stores.pins)
            try await pins.set(PIN("1234"), of: ada)
            let old = try PasswordHash.make(
                Secret("1234"), parameters: fixture.gateway.stores.settings.hashing.parameters
            ).rawValue
            try await Self.set(old, ada, fixture)

            #expect(try await pins.check(PIN("1235"), of: ada) == .wrong)
            #expect(try await Self.hash(ada, fixture) == old)
            #expect(try await pins.check(PIN("1234"), of: ada) == .right)
            let new = try await Self.hash(ada, fixture)
            #expect(new.hasPrefix("hmac-sha256:"))
            #expect(try !Self.isHash(new, of: "1234"))
            #expect(try await pins.check(PIN("1234"), of: ada) == .right)
            #expect(try await Self.hash(ada, fixture) == new)

            try await Self.set(old, ada, fixture)
            #expect(try await pins.change(to: PIN("5678"), of: ada, by: .pin(PIN("1234"))) == .right)
            #expect(try await pins.check(PIN("5678"), of: ada) == .right)
            #expect(try await pins.check(PIN("1234"), of: ada) == .wrong)
        }
    }

    @Test("IM-15 the hash of one person's PIN is of no use for another person, nor with another key")
    func binding() async throws {
        try await GatewayFixture.with { fixture in
            let pins = fixture.gateway.stores.pins
            let (ada, bob) = (try await fixture.addPerson().id, try await fixture.addPerson("bob@example.org").id)
            try await pins.set(PIN("1234"), of: ada)
            try await pins.set(PIN("5678"), of: bob)
            try await Self.set(try await Self.hash(bob, fixture), ada, fixture)
            #expect(try await pins.check(PIN("5678"), of: ada) == .wrong)
            #expect(try await pins.check(PIN("5678"), of: bob) == .right)

            let code = PINHash.code(of: try PIN("1234"), of: ada, key: BridgeKeys(Secret.random(32)).pin)
            let other = try PasswordHash.make(
                code, parameters: fixture.gateway.stores.settings.hashing.parameters)
            try await Self.set(PINHash(ofCode: other).rawValue, ada, fixture)
            #expect(try await pins.check(PIN("1234"), of: ada) == .wrong)
        }
    }
}
