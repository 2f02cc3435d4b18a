import Crypto
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

/// How many signatures are verified for a request. Each is counted before it is verified.
@Suite("Signatures that a request costs", .timeLimit(.minutes(20)))
struct SignatureCountTests {
    /// A key with a modulus of this many bits, whose other half nobody knows.
    private static func rsaKey(bits: Int) -> JSONValue {
        [
            "kty": "RSA", "n": .string(Base64URL.encode([UInt8](repeating: 0xFF, count: bits / 8))),
            "e": .string(Base64URL.encode([0xFF, 0xFF, 0xFF, 0xFF])),
        ]
    }

    private static func count(_ kind: Metrics.Signature, _ fixture: GatewayFixture) -> Int {
        fixture.gateway.metrics.counts.signatures[kind] ?? 0
    }

    /// A proof with a mistake that shows without its signature.
    private struct Mistake {
        let name: String
        var method = "GET"
        var address = OAuthFixture.userInfoAddress
        var seconds = 0.0
        var header: [(String, JSONValue?)] = []
        var claims: [(String, JSONValue?)] = []
    }

    private static let mistakes: [Mistake] = [
        Mistake(name: "another method", method: "POST"),
        Mistake(name: "another address", address: OAuthFixture.tokenAddress),
        Mistake(name: "an old time", seconds: -61), Mistake(name: "a time of the future", seconds: 61),
        Mistake(name: "another type", header: [("typ", "JWT")]),
        Mistake(name: "another algorithm", header: [("alg", "ES384")]),
        Mistake(name: "no key", header: [("jwk", nil)]),
        Mistake(name: "a large key", header: [("alg", "RS256"), ("jwk", rsaKey(bits: 8_192))]),
        Mistake(name: "no id", claims: [("jti", nil)]),
        Mistake(name: "a long text", claims: [("x", .string(String(repeating: "x", count: 4_096)))]),
    ]

    @Test("a proof with a mistake that shows without its signature costs none")
    func cheapChecks() async throws {
        try await OAuthFixture.with { fixture in
            let maker = try ProofMaker()
            for row in Self.mistakes {
                let proof = try maker.proof(
                    row.method, row.address, at: fixture.gateway.clock.now.addingTimeInterval(row.seconds),
                    header: row.header, claims: row.claims)
                let fields = [("Authorization", "DPoP x"), ("DPoP", proof)]
                #expect(try await fixture.userInfo(fields: fields).status == 401, "\(row.name)")
                #expect(try await fixture.verify(fields: fields).status == 401, "\(row.name)")
                #expect(Self.count(.proof, fixture.gateway) == 0, "\(row.name)")
            }
            _ = try await fixture.userInfo(fields: fixture.userInfoFields(maker, "x"))
            #expect(Self.count(.proof, fixture.gateway) == 1)
        }
    }

    @Test("with nonces a proof without a valid one costs no signature")
    func nonces() async throws {
        try await OAuthFixture.with({ $0.authorizationServer.requiresProofNonces = true }) { fixture in
            let response = try await fixture.userInfo(fields: fixture.userInfoFields(try ProofMaker(), "x"))
            #expect(response.headers["DPoP-Nonce"] != nil)
            #expect(Self.count(.proof, fixture.gateway) == 0)
        }
    }

    @Test("an address whose proofs are of no use gets 429 and no further signature, at every route")
    func addressLimit() async throws {
        try await OAuthFixture.with({ settings in
            settings.requestRates.address = .perMinute(5)
            settings.immich.isEnabled = true
            settings.immich.prefix = "/im"
        }) { fixture in
            let ping = OAuthFixture.issuer + "/im/server/ping"
            let large = Self.rsaKey(bits: 4_096)
            func send(_ proof: String, from address: String = "192.0.2.1") async throws -> Int {
                try await fixture.gateway.http.send(
                    "GET", "/im/server/ping", headers: [("DPoP", proof), ("X-Forwarded-For", address)]
                ).status
            }
            func proof(isBroken: Bool) throws -> String {
                let maker = try ProofMaker()
                return try maker.proof(
                    "GET", ping, at: fixture.gateway.clock.now,
                    header: isBroken ? [("alg", "RS256"), ("jwk", large)] : [])
            }
            for number in 0..<5 {
                #expect(try await send(proof(isBroken: number < 3)) == (number < 3 ? 401 : 200))
            }
            for isBroken in [true, false] { #expect(try await send(proof(isBroken: isBroken)) == 429) }
            #expect(Self.count(.proof, fixture.gateway) == 5)
            #expect(try await send(proof(isBroken: false), from: "192.0.2.2") == 200)
            // Requests without a proof are not affected.
            let plain = try await fixture.gateway.http.send(
                "GET", "/im/server/ping", headers: [("X-Forwarded-For", "192.0.2.1")])
            #expect(plain.status == 200)
        }
    }

    @Test("a client whose proofs are used is not limited")
    func usedProofs() async throws {
        try await OAuthFixture.with({ $0.requestRates.address = .perMinute(20) }) { fixture in
            let maker = try ProofMaker()
            let resource = [("resource", OAuthFixture.resource)]
            let tokens = try await fixture.boundTokens(maker, fixture.parameters + resource)
            for _ in 0..<30 {
                let proof = try maker.proof(
                    "GET", OAuthFixture.resource + "/files/1", at: fixture.gateway.clock.now, token: tokens.access)
                let fields = [("Authorization", "DPoP " + tokens.access), ("DPoP", proof)]
                #expect(try await fixture.verify(fields: fields).status == 200)
            }
        }
    }

    @Test("an assertion costs at most four signatures, and none when a cheaper check fails")
    func assertions() async throws {
        let keys = JSONValue.object([.init("keys", .array((0..<8).map { _ in Self.rsaKey(bits: 4_096) }))])
        try await OAuthFixture.with({ settings in
            settings.authorizationServer.clients.append(
                RegisteredClient(
                    id: "signed", name: "Signed", secretHash: nil, redirects: [OAuthFixture.webRedirect],
                    keys: ClientKeys(String(decoding: keys.encoded(), as: UTF8.self))))
        }) { fixture in
            let now = fixture.gateway.clock.now.timeIntervalSince1970
            func send(_ changes: [(String, JSONValue)] = []) async throws -> String? {
                let members: [(String, JSONValue)] = [
                    ("iss", "signed"), ("sub", "signed"), ("aud", .string(OAuthFixture.issuer)),
                    ("exp", .number(now + 60)), ("jti", .string(UUID().uuidString)),
                ]
                let all = members.filter { member in !changes.contains { $0.0 == member.0 } } + changes
                let parts = [
                    Array(#"{"alg":"RS256"}"#.utf8), JSONValue.object(all.map { .init($0.0, $0.1) }).encoded(),
                    [UInt8](repeating: 0x7F, count: 512),
                ].map(Base64URL.encode)
                let form = AssertionMaker.credentials(parts.joined(separator: "."))
                return try await fixture.post("introspect", form + [("token", "x")]).json?["error"]?.string
            }
            for change in [
                ("aud", JSONValue.string("https://other.example")), ("exp", .number(now - 61)), ("sub", "other"),
                ("jti", ""),
            ] {
                let refused = try await send([change])
                #expect(refused == "invalid_client")
                #expect(Self.count(.assertion, fixture.gateway) == 0, "\(change)")
            }
            let refused = try await send()
            #expect(refused == "invalid_client")
            #expect(Self.count(.assertion, fixture.gateway) == 4)
        }
    }
}
