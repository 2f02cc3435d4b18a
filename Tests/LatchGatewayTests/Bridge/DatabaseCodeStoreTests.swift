import Crypto
import Database
import FoundationEssentials
import GatewayHTTP
import HTTPMessages
import TestSupport
import Testing

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import LatchGateway
@testable import SignInBridge

@Suite("Codes in the database", .timeLimit(.minutes(20)))
struct DatabaseCodeStoreTests {
    @Test("OX-4 OX-15 only one of two gateways can redeem a code, and only before it expires")
    func conformance() async throws {
        try await withDatabases { one, other, clock in
            try await checkCodeStore(
                DatabaseCodeStore(database: one, now: { clock.now }),
                beside: DatabaseCodeStore(database: other, now: { clock.now }), leeway: 60
            ) { clock.advance($0) }
        }
    }

    @Test("OX-4 abandoned sign-ins use bounded space: the newest are kept, and expired ones are deleted")
    func abandoned() async throws {
        try await withDatabases { database, _, clock in
            let store = DatabaseCodeStore(database: database, capacity: 64, now: { clock.now })
            for number in 0..<300 {
                try await store.save([1], under: SHA256.digest("\(number)"), for: .seconds(60 + number), of: nil)
                #expect(try await count(database) <= 68)
            }
            #expect(try await store.consume(SHA256.digest("299")) == [1], "The newest must be there.")
            #expect(try await store.consume(SHA256.digest("0")) == nil, "The oldest must be gone.")

            clock.advance(1_000)
            await store.sweep()
            #expect(try await count(database) == 0)
        }
    }

    @Test("codes that live long do not displace newer ones that live shorter")
    func lifetimes() async throws {
        try await withDatabases { database, _, clock in
            let store = DatabaseCodeStore(database: database, capacity: 64, now: { clock.now })
            for number in 0..<80 {
                clock.advance(0.1)
                try await store.save([1], under: SHA256.digest("\(number)"), for: .seconds(180), of: nil)
            }
            clock.advance(0.1)
            try await store.save([2], under: SHA256.digest("short"), for: .seconds(60), of: nil)
            await store.sweep()
            #expect(try await count(database) == 64)
            #expect(try await store.consume(SHA256.digest("short")) == [2])
            #expect(try await store.consume(SHA256.digest("0")) == nil)
        }
    }

    @Test("OX-15 a stolen database contains the digest of a code, and not the code", .onlySQLite)
    func stolen() async throws {
        try await BridgeFixture.with(["google"], codes: nil, { $0.codes = .database }) { fixture in
            let person = try await fixture.base.addPerson()
            let app = AppSignIn()
            let code = try #require(try await fixture.deepLink(app)["code"])

            #expect(try await count(fixture.base.gateway.stores.database) == 1)
            let bytes = try fixture.base.databaseBytes()
            #expect(bytes.contains(Array(person.email.utf8)), "The bytes must be those of the database.")
            #expect(!bytes.contains(Array(code.utf8)))
            #expect(bytes.contains(SHA256.digest(code).bytes))
            #expect(try await fixture.exchange(code, app.verifier).status == 200)
            #expect(try await count(fixture.base.gateway.stores.database) == 0)
        }
    }

    private func count(_ database: Database) async throws -> Int {
        let count = Statement("SELECT count(*) FROM one_time_codes") { row throws(DatabaseError) in
            try row.get(0) as Int
        }
        return try await database.read { try $0.first(count) } ?? 0
    }

    /// Runs `body` with two connections to one file, as two gateways have them.
    private func withDatabases(_ body: (Database, Database, TestClock) async throws -> Void) async throws {
        let folder = try TemporaryDirectory()
        let location = try await TestDatabase.location(in: folder)
        let one = try await location.open()
        let other = try await location.open()
        try await body(one, other, TestClock())
        await one.close()
        await other.close()
    }
}
