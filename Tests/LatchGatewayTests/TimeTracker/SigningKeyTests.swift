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

@Suite("Signed tokens and their keys", .timeLimit(.minutes(20)))
struct SigningKeyTests {
    @Test("A fresh server publishes a key before the first token is signed, and signs with it")
    func firstKey() async throws {
        try await TimeTrackerBench.with { bench in
            _ = try await bench.bench.addPerson()
            let answer = try await bench.http.send("GET", "/tt/.well-known/jwks.json")
            #expect(answer.json?["keys"]?.array?.count == 1)
            let again = try await bench.http.send("GET", "/tt/.well-known/jwks.json")
            #expect(again.text == answer.text)
            let token = try #require(try await bench.exchange(bench.deepLink()).token)
            #expect(try TimeTrackerBench.claims(of: token, by: JSONWebKeySet(parsing: Array(answer.text.utf8))) != nil)
        }
    }

    @Test("A gateway that signs tokens creates its key at start, and one that does not creates none")
    func keyAtStart() async throws {
        try await TimeTrackerBench.with { bench in
            await bench.bench.gateway.keepKeys()
            let keys = try await bench.bench.gateway.stores.signingKeys.list()
            #expect(keys.count == 1)
        }
        try await Bench.with { bench in
            await bench.gateway.keepKeys()
            let keys = try await bench.gateway.stores.signingKeys.list()
            #expect(keys.isEmpty)
        }
    }

    @Test("RFC 9068 a token says who, by whom, for whom and until when, and the published key made its signature")
    func claims() async throws {
        try await TimeTrackerBench.with { bench in
            let person = try await bench.bench.addPerson()
            let answer = try await bench.exchange(bench.deepLink())
            let token = try #require(answer.token)

            let header = try JSONWebSignature(parsing: token).header
            #expect(header.algorithmName == "ES256" && header.type == "at+jwt")
            let claims = try #require(try TimeTrackerBench.claims(of: token, by: try await bench.keys()))
            let now = bench.clock.now.timeIntervalSince1970
            #expect(claims["iss"]?.string == TimeTrackerBench.issuer)
            #expect(claims["aud"]?.string == TimeTrackerBench.issuer)
            #expect(claims["sub"]?.string == person.id.uuidString.lowercased())
            #expect(claims["client_id"]?.string == "timetracker")
            #expect(claims["iat"]?.number == now && claims["exp"]?.number == now + 30 * day)
            #expect(claims["email"]?.string == Bench.email)
            #expect(claims["username"]?.string == Bench.email && claims["fullName"]?.string == "Ada")
            let session = try #require(try await bench.bench.gateway.stores.sessions.list().first)
            #expect(claims["jti"]?.string == session.id.rawValue)
            #expect(session.expires.timeIntervalSince1970 == now + 30 * day)
        }
    }

    @Test("The audience and the algorithm are what is configured", arguments: [SignatureAlgorithm.es256, .edDSA])
    func configured(_ algorithm: SignatureAlgorithm) async throws {
        try await TimeTrackerBench.with {
            $0.timeTracker.audience = "https://entries.example"
            $0.signingKeys.algorithm = algorithm
        } _: { bench in
            try await bench.bench.addPerson()
            let token = try await bench.token()
            #expect(try JSONWebSignature(parsing: token).header.algorithm == algorithm)
            let claims = try TimeTrackerBench.claims(of: token, by: try await bench.keys())
            #expect(claims?["aud"]?.string == "https://entries.example")
        }
    }

    @Test("A token is good for its lifetime, no longer however much it is used, and never beyond sessions.maximum")
    func lifetime() async throws {
        try await TimeTrackerBench.with {
            $0.timeTracker.tokenLifetime = .seconds(2 * day)
            $0.sessions.maximum = .seconds(1 * day)
        } _: { bench in
            try await bench.bench.addPerson()
            let answer = try await bench.exchange(bench.deepLink())
            let token = try #require(answer.token)
            #expect(answer.json?["expires_in"]?.number == 1 * day)

            bench.clock.advance(day / 2)
            #expect(try await bench.me(token).status == 200)
            #expect(try await bench.bench.refresh(token).status == 200)
            try await bench.bench.gateway.issuer.flush()
            bench.clock.advance(day / 2)
            #expect(try await bench.me(token).json == ["error": "Unauthorized: jwt expired"])
            bench.bench.gateway.issuer.forgetEverything()
            #expect(try await bench.me(token).json == ["error": "Unauthorized: jwt expired"])
        }
    }

    @Test("The metadata name the keys, and the endpoints know a signed token")
    func metadata() async throws {
        try await TimeTrackerBench.with { bench in
            let person = try await bench.bench.addPerson()
            let path = "/.well-known/latchd/tt"
            let metadata = try #require(try await bench.http.send("GET", path).json)
            #expect(metadata["issuer"]?.string == TimeTrackerBench.issuer)
            #expect(metadata["jwks_uri"]?.string == TimeTrackerBench.issuer + "/.well-known/jwks.json")
            #expect(metadata["revocation_endpoint"]?.string == TimeTrackerBench.issuer + "/auth/revoke")

            let token = try await bench.token()
            for path in ["/tt/auth/introspect", "/api/auth/introspect"] {
                let answer = try await bench.introspect(token, at: path)
                #expect(answer?["active"]?.bool == true)
                #expect(answer?["sub"]?.string == person.id.uuidString.lowercased())
                #expect(answer?["iss"]?.string == TimeTrackerBench.issuer)
            }
            let revoked = try await bench.http.send(
                "POST", "/tt/auth/revoke", headers: [("Content-Type", FormURLEncoded.mediaType)],
                body: FormURLEncoded.encode([("token", token)]))
            #expect(revoked.status == 200)
            #expect(try await bench.introspect(token) == ["active": false])
            #expect(try await bench.me(token).status == 401)
        }
    }

    @Test("A token whose session an administrator ends elsewhere is refused when the gateway has noticed")
    func revoked() async throws {
        try await TimeTrackerBench.with { bench in
            try await bench.bench.addPerson()
            let token = try await bench.token()
            let stores = try await bench.bench.elsewhere()
            let session = try #require(try await stores.sessions.list().first)
            try await stores.sessions.revoke(session.id)
            await stores.close()

            await bench.bench.gateway.noticeOthers(patience: .seconds(5))
            #expect(try await bench.me(token).json == ["error": "Unauthorized: session ended"])
        }
    }

    @Test("A key replaced by age is shown until its last token is over; the next is shown before it signs")
    func rotation() async throws {
        try await TimeTrackerBench.with {
            $0.signingKeys.rotation = .seconds(10 * day)
        } _: { bench in
            try await bench.bench.addPerson()
            let old = try await bench.token()
            let gateway = bench.bench.gateway
            await gateway.keepKeys()
            #expect(try await bench.keys().keys.count == 1)

            bench.clock.advance(10 * day)
            await gateway.keepKeys()
            #expect(try await bench.keys().keys.count == 2, "The next key is not shown before it signs.")
            #expect(try Self.keyID(try await bench.token()) == Self.keyID(old))
            bench.clock.advance(10 * minute)
            let new = try await bench.token()
            #expect(try Self.keyID(new) != Self.keyID(old))
            for token in [old, new] {
                #expect(try await bench.me(token).status == 200)
                #expect(try TimeTrackerBench.claims(of: token, by: try await bench.keys()) != nil)
            }

            // The old key signed its last token ten minutes ago, for thirty days.
            bench.clock.advance(30 * day - 10 * minute - 1)
            await gateway.keepKeys()
            #expect(try await bench.keys().keys.contains { $0.keyID == (try? Self.keyID(old)) })
            bench.clock.advance(2 * hour)
            await gateway.keepKeys()
            #expect(try await !bench.keys().keys.contains { $0.keyID == (try? Self.keyID(old)) })
        }
    }

    @Test("Keys are made once by many at the same time, and gateways on one database sign with one key")
    func together() async throws {
        try await TimeTrackerBench.with { bench in
            let clock = bench.clock
            let others = [try await bench.bench.elsewhere(), try await bench.bench.elsewhere()]
            let all = [bench.bench.gateway.stores] + others
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
            await bench.bench.gateway.noticeOthers(patience: .seconds(5))
            #expect(try await bench.keys().keys.count == 2)
            for stores in others { await stores.close() }
        }
    }

    @Test("Keys that are in wrong hands are believed by nobody any more; their tokens open this server until revoked")
    func compromised() async throws {
        try await TimeTrackerBench.with { bench in
            try await bench.bench.addPerson()
            let old = try await bench.token()
            let made = try await bench.bench.gateway.stores.signingKeys.rotate(removingOthers: true)
            #expect(made.isSigning)
            #expect(try await bench.keys().keys.map(\.keyID) == [made.id])
            #expect(try Self.keyID(try await bench.token()) == made.id)
            #expect(try await bench.me(old).status == 200)
            #expect(try TimeTrackerBench.claims(of: old, by: try await bench.keys()) == nil)
            #expect(bench.bench.lines.audit.contains { $0["reason"]?.string == "others-forgotten" })
        }
    }

    @Test("The private half is in the database sealed only, and a key sealed otherwise is shown and not used")
    func sealed() async throws {
        try await TimeTrackerBench.with { bench in
            try await bench.bench.addPerson()
            let old = try await bench.token()
            _ = try await bench.bench.gateway.stores.database.checkpoint()
            let bytes = try Data(contentsOf: URL(filePath: bench.bench.databasePath))
            #expect(!bytes.leaks("PRIVATE KEY-----"))

            var settings = bench.bench.gateway.stores.settings
            settings.auditPath = nil
            settings.bridge.keyFile = bench.bench.folder.path + "/other.key"
            let clock = bench.clock
            let other = try await GatewayStores.open(
                settings, logWriter: LogWriter { _ in }, now: { clock.now })
            let key = try await other.signingKeys.signer(until: clock.now + .seconds(60))
            #expect(try key.publicKey.keyID != Self.keyID(old))
            let shown = try JSONWebKeySet(parsing: try await other.signingKeys.published())
            #expect(shown.keys.count == 2)
            #expect(try TimeTrackerBench.claims(of: old, by: shown) != nil)
            await other.close()
        }
    }

    private static func keyID(_ token: String) throws -> String? {
        try JSONWebSignature(parsing: token).header.keyID
    }
}
