import Crypto
import Database
import FoundationEssentials
import TestSupport
import Testing

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayHTTP
@testable import LatchGateway

/// Databases of earlier versions.
@Suite(.timeLimit(.minutes(20)))
struct SchemaMigrationTests {
    @Test("the keys, sessions and people of a version 10 database still work", .onlySQLite)
    func fromTen() async throws {
        let folder = try TemporaryDirectory()
        let settings = try await GatewayFixture.settings(in: folder)
        let path = try #require(settings.database.path)
        let clock = TestClock()
        let (person, key, now) = (UUID(), UUID(), clock.now)
        let text = Data(SecureRandom.bytes(32)).base64EncodedString()
        let (keyHash, tokenHash) = (SHA256.digest(text).bytes, SHA256.digest(Self.token).bytes)
        let old = try await Database.open(
            .init(path: path, applicationID: Schema.applicationID), migrations: Array(Schema.migrations.prefix(10)))
        try await old.write { connection in
            try connection.run(
                Statement(
                    "INSERT INTO people (id, email, created_at, must_change_password) VALUES (?, 'ada@example.org', ?, 1)",
                    UUID.self, Date.self), person, now)
            try connection.run(
                Statement(
                    """
                    INSERT INTO api_keys (id, key_hash, person_id, name, scopes, created_at) VALUES (?, ?, ?, 'k', 'app', ?)
                    """, UUID.self, [UInt8].self, UUID.self, Date.self), key, keyHash, person, now)
            try connection.run(
                Statement(
                    """
                    INSERT INTO sessions (id, token_hash, person_id, created_at, last_used_at, expires_at, cap_at)
                    VALUES ('abcdefghjkmn', ?, ?, ?, ?, ?, ?)
                    """, [UInt8].self, UUID.self, Date.self, Date.self, Date.self, Date.self), tokenHash, person, now,
                now, now + day, now + day)
        }
        await old.close()

        let stores = try await GatewayStores.open(settings, logWriter: LogWriter { _ in }, now: { clock.now })
        let gateway = try Gateway(stores)
        #expect(try await stores.apiKeys.authenticate(text)?.id == key)
        #expect(try await stores.apiKeys.list(of: person).first?.expires == nil)
        // A person without a password has none to change: the session opens everything.
        #expect(try await gateway.issuer.authenticate(Self.token).isValid)
        let id = SessionID(rawValue: "abcdefghjkmn")
        #expect(try await stores.sessions.ownSession(uuid: id.uuid, of: person)?.id == id)
        #expect(try await stores.sessions.revokeAll(of: person) == RevokedAccess(sessions: 1, keys: 1))
        await gateway.close()
    }

    private static let token = String(repeating: "t", count: 43)
}
