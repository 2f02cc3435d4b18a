import Crypto
import Database
import FoundationEssentials
import HTTPMessages
import JOSE
import TestSupport
import Testing

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayDialects
@testable import GatewayHTTP
@testable import LatchGateway
@testable import SignInBridge

@Suite("Signing keys and signed tokens", .timeLimit(.minutes(20)))
struct SigningKeyTests {
    @Test("A fresh server publishes a key before the first token is signed, and signs with it")
    func firstKey() async throws {
        try await TimeTrackerFixture.with { fixture in
            _ = try await fixture.base.addPerson()
            let response = try await fixture.http.send("GET", "/tt/.well-known/jwks.json")
            #expect(response.json?["keys"]?.array?.count == 1)
            let again = try await fixture.http.send("GET", "/tt/.well-known/jwks.json")
            #expect(again.text == response.text)
            let token = try #require(try await fixture.exchange(fixture.deepLink()).token)
            #expect(
                try TimeTrackerFixture.claims(of: token, by: JSONWebKeySet(parsing: Array(response.text.utf8))) != nil)
        }
    }

    @Test("A gateway creates its key at start only if it signs tokens")
    func keyAtStart() async throws {
        try await TimeTrackerFixture.with { fixture in
            await fixture.base.gateway.maintainSigningKeys()
            let keys = try await fixture.base.gateway.stores.signingKeys.list()
            #expect(keys.count == 1)
        }
        try await GatewayFixture.with { fixture in
            await fixture.gateway.maintainSigningKeys()
            let keys = try await fixture.gateway.stores.signingKeys.list()
            #expect(keys.isEmpty)
        }
    }

    @Test("RFC 9068 a token has sub, iss, aud and exp, and the published key verifies its signature")
    func claims() async throws {
        try await TimeTrackerFixture.with { fixture in
            let person = try await fixture.base.addPerson()
            let response = try await fixture.exchange(fixture.deepLink())
            let token = try #require(response.token)

            let header = try JSONWebSignature(parsing: token).header
            #expect(header.algorithmName == "ES256" && header.type == "at+jwt")
            let claims = try #require(try TimeTrackerFixture.claims(of: token, by: try await fixture.keys()))
            let now = fixture.clock.now.timeIntervalSince1970
            #expect(claims["iss"]?.string == TimeTrackerFixture.issuer)
            #expect(claims["aud"]?.string == TimeTrackerFixture.issuer)
            #expect(claims["sub"]?.string == person.id.uuidString.lowercased())
            #expect(claims["client_id"]?.string == "timetracker")
            #expect(claims["iat"]?.number == now && claims["exp"]?.number == now + 30 * day)
            #expect(claims["email"]?.string == GatewayFixture.email)
            #expect(claims["username"]?.string == GatewayFixture.email && claims["fullName"]?.string == "Ada")
            let session = try #require(try await fixture.base.gateway.stores.sessions.list().first)
            #expect(claims["jti"]?.string == session.id.rawValue)
            #expect(session.expires.timeIntervalSince1970 == now + 30 * day)
        }
    }

    @Test("The audience and the algorithm are the configured ones", arguments: [SignatureAlgorithm.es256, .edDSA])
    func configured(_ algorithm: SignatureAlgorithm) async throws {
        try await TimeTrackerFixture.with {
            $0.timeTracker.audience = "https://entries.example"
            $0.signingKeys.algorithm = algorithm
        } _: { fixture in
            try await fixture.base.addPerson()
            let token = try await fixture.token()
            #expect(try JSONWebSignature(parsing: token).header.algorithm == algorithm)
            let claims = try TimeTrackerFixture.claims(of: token, by: try await fixture.keys())
            #expect(claims?["aud"]?.string == "https://entries.example")
        }
    }

    @Test("A token is valid for its lifetime, however much it is used, and never beyond sessions.maximum")
    func lifetime() async throws {
        try await TimeTrackerFixture.with {
            $0.timeTracker.tokenLifetime = .seconds(2 * day)
            $0.sessions.maximum = .seconds(1 * day)
        } _: { fixture in
            try await fixture.base.addPerson()
            let response = try await fixture.exchange(fixture.deepLink())
            let token = try #require(response.token)
            #expect(response.json?["expires_in"]?.number == 1 * day)

            fixture.clock.advance(day / 2)
            #expect(try await fixture.me(token).status == 200)
            #expect(try await fixture.base.refresh(token).status == 401, "It cannot be refreshed.")
            try await fixture.base.gateway.issuer.flush()
            fixture.clock.advance(day / 2)
            #expect(try await fixture.me(token).json == ["error": "Unauthorized: jwt expired"])
            fixture.base.gateway.issuer.invalidateAll()
            #expect(try await fixture.me(token).json == ["error": "Unauthorized: jwt expired"])
        }
    }

    @Test("The metadata contain the keys, and the endpoints accept a signed token")
    func metadata() async throws {
        try await TimeTrackerFixture.with { fixture in
            let person = try await fixture.base.addPerson()
            let path = "/.well-known/latchd/tt"
            let metadata = try #require(try await fixture.http.send("GET", path).json)
            #expect(metadata["issuer"]?.string == TimeTrackerFixture.issuer)
            #expect(metadata["jwks_uri"]?.string == TimeTrackerFixture.issuer + "/.well-known/jwks.json")
            #expect(metadata["revocation_endpoint"]?.string == TimeTrackerFixture.issuer + "/auth/revoke")

            let token = try await fixture.token()
            for path in ["/tt/auth/introspect", "/api/auth/introspect"] {
                let response = try await fixture.introspect(token, at: path)
                #expect(response?["active"]?.bool == true)
                #expect(response?["sub"]?.string == person.id.uuidString.lowercased())
                #expect(response?["iss"]?.string == TimeTrackerFixture.issuer)
            }
            let revoked = try await fixture.http.send(
                "POST", "/tt/auth/revoke", headers: [("Content-Type", FormURLEncoded.mediaType)],
                body: FormURLEncoded.encode([("token", token)]))
            #expect(revoked.status == 200)
            #expect(try await fixture.introspect(token) == ["active": false])
            #expect(try await fixture.me(token).status == 401)
        }
    }

    @Test("A token whose session an administrator ends elsewhere is refused after the gateway's next check")
    func revoked() async throws {
        try await TimeTrackerFixture.with { fixture in
            try await fixture.base.addPerson()
            let token = try await fixture.token()
            let stores = try await fixture.base.otherProcess()
            let session = try #require(try await stores.sessions.list().first)
            try await stores.sessions.revoke(session.id)
            await stores.close()

            await fixture.base.gateway.detectExternalWrites()
            #expect(try await fixture.me(token).json == ["error": "Unauthorized: session ended"])
        }
    }

    @Test("A replaced key is published until its last token has expired; the next is published before it signs")
    func rotation() async throws {
        try await TimeTrackerFixture.with {
            $0.signingKeys.rotation = .seconds(10 * day)
        } _: { fixture in
            try await fixture.base.addPerson()
            let old = try await fixture.token()
            let gateway = fixture.base.gateway
            await gateway.maintainSigningKeys()
            #expect(try await fixture.keys().keys.count == 1)

            fixture.clock.advance(10 * day)
            await gateway.maintainSigningKeys()
            #expect(try await fixture.keys().keys.count == 2, "The next key is not shown before it signs.")
            #expect(try Self.keyID(try await fixture.token()) == Self.keyID(old))
            fixture.clock.advance(10 * minute)
            let new = try await fixture.token()
            #expect(try Self.keyID(new) != Self.keyID(old))
            for token in [old, new] {
                #expect(try await fixture.me(token).status == 200)
                #expect(try TimeTrackerFixture.claims(of: token, by: try await fixture.keys()) != nil)
            }

            // The old key signed its last token ten minutes ago, for thirty days.
            fixture.clock.advance(30 * day - 10 * minute - 1)
            await gateway.maintainSigningKeys()
            #expect(try await fixture.keys().keys.contains { $0.keyID == (try? Self.keyID(old)) })
            fixture.clock.advance(2 * hour)
            await gateway.maintainSigningKeys()
            #expect(try await !fixture.keys().keys.contains { $0.keyID == (try? Self.keyID(old)) })
        }
    }

    @Test("Keys are created once by concurrent calls, and gateways on one database sign with one key")
    func together() async throws {
        try await TimeTrackerFixture.with { fixture in
            let clock = fixture.clock
            let others = [try await fixture.base.otherProcess(), try await fixture.base.otherProcess()]
            let all = [fixture.base.gateway.stores] + others
            let ids = try await withThrowingTaskGroup(of: String?.self) { group in
                for stores in all {
                    for _ in 0..<20 {
                        group.addTask {
                            try await stores.signingKeys.signer(until: clock.now + .seconds(60)).publicKey.keyID
                        }
                    }
                }
                return try await group.reduce(into: Set<String?>()) { $0.insert($1) }
            }
            #expect(ids.count == 1)
            #expect(try await others[0].signingKeys.list().map(\.id) == ids.compactMap { $0 })

            let rotated = try await others[0].signingKeys.rotate()
            #expect(!rotated.isSigning)
            await fixture.base.gateway.detectExternalWrites()
            #expect(try await fixture.keys().keys.count == 2)
            for stores in others { await stores.close() }
        }
    }

    @Test("Compromised keys are not published any more; this server accepts their tokens until revoked")
    func compromised() async throws {
        try await TimeTrackerFixture.with { fixture in
            try await fixture.base.addPerson()
            let old = try await fixture.token()
            let made = try await fixture.base.gateway.stores.signingKeys.rotate(removingOthers: true)
            #expect(made.isSigning)
            #expect(try await fixture.keys().keys.map(\.keyID) == [made.id])
            #expect(try Self.keyID(try await fixture.token()) == made.id)
            #expect(try await fixture.me(old).status == 200)
            #expect(try TimeTrackerFixture.claims(of: old, by: try await fixture.keys()) == nil)
            #expect(fixture.base.lines.audit.contains { $0["reason"]?.string == "others-forgotten" })
        }
    }

    @Test(
        "The database has only the sealed private key, and a key sealed otherwise is published but not used",
        .onlySQLite)
    func sealed() async throws {
        try await TimeTrackerFixture.with { fixture in
            try await fixture.base.addPerson()
            let old = try await fixture.token()
            _ = try await fixture.base.gateway.stores.database.checkpoint()
            let bytes = try Data(contentsOf: URL(filePath: fixture.base.databasePath))
            #expect(!bytes.leaks("PRIVATE KEY-----"))

            var settings = fixture.base.gateway.stores.settings
            settings.auditPath = nil
            settings.bridge.keyFile = fixture.base.folder.path + "/other.key"
            let clock = fixture.clock
            let other = try await GatewayStores.open(
                settings, logWriter: LogWriter { _ in }, now: { clock.now })
            let key = try await other.signingKeys.signer(until: clock.now + .seconds(60))
            #expect(try key.publicKey.keyID != Self.keyID(old))
            let shown = try JSONWebKeySet(parsing: try await other.signingKeys.published())
            #expect(shown.keys.count == 2)
            #expect(try TimeTrackerFixture.claims(of: old, by: shown) != nil)
            await other.close()
        }
    }

    private static func keyID(_ token: String) throws -> String? {
        try JSONWebSignature(parsing: token).header.keyID
    }
}
