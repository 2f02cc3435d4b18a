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
@testable import OpenIDConnect

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

    @Test("consents and ended sessions of a version 25 database get their bounds", .onlySQLite)
    func fromTwentyFive() async throws {
        let folder = try TemporaryDirectory()
        let settings = try await GatewayFixture.settings(in: folder)
        let path = try #require(settings.database.path)
        let old = try await Database.open(
            .init(path: path, applicationID: Schema.applicationID), migrations: Array(Schema.migrations.prefix(25)))
        let person = UUID()
        try await old.write { connection in
            for sql in [
                "INSERT INTO people (id, email, created_at) VALUES ('\(person.text)', 'ada@example.org', 1)",
                """
                INSERT INTO client_consents (person_id, client_id, scopes, audience, granted_at)
                VALUES ('\(person.text)', 'long', 'openid', replace(hex(zeroblob(9000)), '00', 'x'), 1),
                    ('\(person.text)', 'short', 'openid', 'https://notes.example', 1)
                """,
                """
                INSERT INTO sessions (id, token_hash, person_id, created_at, last_used_at, expires_at, cap_at, ended_at,
                    end_reason)
                VALUES ('live', x'01', '\(person.text)', 1, 1, 9, 9, NULL, NULL),
                    ('over', x'02', '\(person.text)', 1, 1, 9, 9, 2, 'revoked')
                """,
                """
                INSERT INTO client_sessions (session_id, client_id, scopes, audience, generation, refresh_hash)
                VALUES ('live', 'short', '', '', 1, x'01'), ('over', 'short', '', '', 1, x'02')
                """,
            ] { try connection.run(Statement(sql)) }
        }
        await old.close()

        let stores = try await GatewayStores.open(settings, logWriter: LogWriter { _ in })
        let grants = try await stores.clients.allowed(by: person).map(\.grant)
        #expect(grants.map(\.client) == ["long", "short"])
        #expect(grants.map(\.audience) == [[], ["https://notes.example"]])
        let over = try await stores.database.read {
            try $0.all(
                Statement("SELECT session_id, is_over FROM client_sessions ORDER BY session_id") {
                    row throws(DatabaseError) in (try row.get(0) as String, try row.get(1) as Bool)
                })
        }
        #expect(over.map(\.0) == ["live", "over"] && over.map(\.1) == [false, true])
        await stores.close()
    }

    @Test(
        "a sign-out at a provider in a version 32 database still holds, and later ones do not displace it", .onlySQLite)
    func fromThirtyTwo() async throws {
        let folder = try TemporaryDirectory()
        let settings = try await GatewayFixture.settings(in: folder)
        let path = try #require(settings.database.path)
        let clock = TestClock()
        let (ended, expires) = (SHA256.digest("session\nhome\nold").bytes, clock.now + day)
        let old = try await Database.open(
            .init(path: path, applicationID: Schema.applicationID), migrations: Array(Schema.migrations.prefix(32)))
        _ = try await old.write { connection in
            try connection.run(
                Statement("INSERT INTO provider_sign_outs (id, expires_at) VALUES (?, ?)", [UInt8].self, Date.self),
                ended, expires)
        }
        await old.close()

        let stores = try await GatewayStores.open(settings, logWriter: LogWriter { _ in }, now: { clock.now })
        for number in 1...3 {
            let claims: JSONValue = [
                "iss": "https://id.example", "aud": "gateway", "jti": .string("\(number)"),
                "sid": .string("new\(number)"), "iat": .number(clock.now.timeIntervalSince1970),
                "events": .object([.init("http://schemas.openid.net/event/backchannel-logout", [:])]),
            ]
            let token = try LogoutToken(
                checking: claims.encoded(),
                against: .init(
                    issuer: "https://id.example", clientID: "gateway", now: clock.now, maximumClockSkew: .zero))
            #expect(try await stores.sessions.signOut(by: token, at: "home", remembering: 1))
        }
        let sessions = ["old", "new1", "new2", "new3"]
        var isOver: [Bool] = []
        for session in sessions { isOver.append(try await stores.sessions.isSignedOut(session, at: "home")) }
        #expect(isOver == [true, false, false, true])
        await stores.close()
    }

    private static let token = String(repeating: "t", count: 43)
}
