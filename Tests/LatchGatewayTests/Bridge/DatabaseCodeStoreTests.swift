import Crypto
import Database
import FoundationEssentials
import TestSupport
import Testing

@testable import GatewayCore
@testable import SignInBridge

@Suite("Codes in the database", .timeLimit(.minutes(20)))
struct DatabaseCodeStoreTests {
    @Test("OX-4 OX-15 a code is taken exactly once by two gateways, and not after its time")
    func conformance() async throws {
        try await withDatabases { one, other, clock in
            try await checkCodeStore(
                DatabaseCodeStore(database: one, now: { clock.now }),
                beside: DatabaseCodeStore(database: other, now: { clock.now })
            ) { clock.advance($0) }
        }
    }

    @Test("OX-4 abandoned sign-ins use bounded space: the newest stay, and expired ones are deleted")
    func abandoned() async throws {
        try await withDatabases { database, _, clock in
            let store = DatabaseCodeStore(database: database, capacity: 64, now: { clock.now })
            for number in 0..<300 {
                try await store.keep([1], under: SHA256.digest("\(number)"), for: .seconds(60 + number))
                #expect(try await count(database) <= 68)
            }
            #expect(try await store.take(SHA256.digest("299")) == [1], "The newest must be there.")
            #expect(try await store.take(SHA256.digest("0")) == nil, "The oldest must be gone.")

            clock.advance(1_000)
            await store.sweep()
            #expect(try await count(database) == 0)
        }
    }

    @Test("OX-15 a stolen database contains no code")
    func stolen() async throws {
        try await withDatabases { database, _, clock in
            let code = "a code of which the database has only the digest"
            let store = DatabaseCodeStore(database: database, now: { clock.now })
            try await store.keep([1], under: SHA256.digest(code), for: .seconds(60))
            let digests = Statement("SELECT digest FROM one_time_codes") { row throws(DatabaseError) in
                try row.get(0) as [UInt8]
            }
            #expect(try await database.read { try $0.all(digests) } == [SHA256.digest(code).bytes])
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
        let configuration = Database.Configuration(
            path: folder.file("latchd.db"), applicationID: Schema.applicationID)
        let one = try await Database.open(configuration, migrations: Schema.migrations)
        let other = try await Database.open(configuration, migrations: Schema.migrations)
        try await body(one, other, TestClock())
        await one.close()
        await other.close()
    }
}
