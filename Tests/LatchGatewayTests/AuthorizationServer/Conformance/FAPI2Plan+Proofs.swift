import Crypto
import FoundationEssentials
import HTTPMessages
import TestSupport
import Testing

@testable import LatchGateway

extension FAPI2Plan {
    static let proofs =
        [
            module("check-dpop-proof-nbf-exp") { (run) async throws in
                let now = run.fixture.gateway.clock.now.timeIntervalSince1970.rounded()
                let proof = FAPI2Client.ProofChanges(claims: [("nbf", .number(now)), ("exp", .number(now + 300))])
                let client = try FAPI2Client(run)
                #expect(try await client.userInfo(client.tokens(proof: proof).access, proof) == 200)
            },
            module("ensure-mismatched-dpop-jkt-fails") { (run) async throws in
                let client = try FAPI2Client(run)
                let other = try ProofMaker().thumbprint
                let response = try await client.push([("dpop_jkt", other)], proof: try client.proof("par"))
                #expect(isRefused(response, "invalid_dpop_proof"))
            },
            module("ensure-token-endpoint-fails-with-mismatched-dpop-proof-jkt") { (run) async throws in
                let client = try FAPI2Client(run)
                let code = try await client.authorize(proof: try client.proof("par"))["code"].orThrow
                let proof = try client.proof("token", .init(maker: ProofMaker()))
                #expect(isRefused(try await client.exchange(code, proof: proof), "invalid_grant"))
            },
            module("ensure-token-endpoint-fails-with-mismatched-dpop-jkt") { (run) async throws in
                let client = try FAPI2Client(run)
                let code = try await client.authorize([("dpop_jkt", try ProofMaker().thumbprint)])["code"].orThrow
                #expect(isRefused(try await client.exchange(code, proof: try client.proof("token")), "invalid_grant"))
            },
            module("ensure-dpopproof-at-par-endpoint-binding-success") { (run) async throws in
                let client = try FAPI2Client(run)
                #expect(try await client.userInfo(client.tokens().access) == 200)
            },
            module("ensure-dpop-auth-code-binding-success") { (run) async throws in
                let client = try FAPI2Client(run)
                let tokens = try await client.tokens([("dpop_jkt", client.proofs.thumbprint)])
                #expect(try await client.userInfo(tokens.access) == 200)
            },
            module("ensure-holder-of-key-required") { (run) async throws in
                let client = try FAPI2Client(run)
                let code = try await client.authorize()["code"].orThrow
                #expect(isRefused(try await client.exchange(code, proof: nil), "invalid_dpop_proof"))
            },
            module("dpop-negative-tests") { (run) async throws in
                let client = try FAPI2Client(run)
                try await negativeTests(client, try await client.tokens().access)
            },
        ]
        + [("before", -10.0), ("after", 8.0)].map { name, seconds in
            module("ensure-dpopproof-with-iat-10seconds-\(name)-succeeds") { (run) async throws in
                let (client, proof) = (try FAPI2Client(run), FAPI2Client.ProofChanges(seconds: seconds))
                #expect(try await client.userInfo(client.tokens(proof: proof).access, proof) == 200)
            }
        }

    /// The proofs of the suite's module, in its order.
    private static func negativeTests(_ client: FAPI2Client, _ token: String) async throws {
        let address = OAuthFixture.userInfoAddress
        func proof() throws -> String {
            try client.proofs.proof("GET", address, at: client.run.fixture.gateway.clock.now, token: token)
        }
        let capitals = [("DPOP", try proof())]
        #expect(try await client.userInfo(token, fields: capitals) == 200, "the name of the field in capitals")

        let refused: [[(String, String)]] = [
            [("DPoP", try proof()), ("DPoP", try proof())], [("DPoP", "no proof")],
            [("DPoP", String(try proof().dropLast(9)))], [],
        ]
        for fields in refused { #expect(try await client.userInfo(token, fields: fields) == 401, "\(fields)") }
        let bearer = try await client.userInfo(token, scheme: "Bearer", fields: [])
        #expect(bearer == 401)

        var secret = client.proofs.jwk.members ?? []
        secret.append(.init("d", .string(Base64URL.encode([UInt8](repeating: 1, count: 32)))))
        var wrong: [FAPI2Client.ProofChanges] = [
            .init(header: [("typ", "JWT")]), .init(header: [("alg", "none")]), .init(header: [("alg", "RS256")]),
            .init(header: [("jwk", .object(secret))]), .init(claims: [("htm", "PUT")]),
            .init(claims: [("htu", "https://www.example.com/")]), .init(seconds: 3_600), .init(seconds: -3_600),
            .init(claims: [("ath", .string(Base64URL.encode([UInt8](repeating: 1, count: 32))))]),
        ]
        for name in ["typ", "alg", "jwk"] { wrong.append(.init(header: [(name, nil)])) }
        for name in ["jti", "htm", "htu", "iat", "ath"] { wrong.append(.init(claims: [(name, nil)])) }
        for changes in wrong { #expect(try await client.userInfo(token, changes) == 401, "\(changes)") }
        let other = try ProofMaker()
        #expect(try await client.userInfo(token, signedBy: other.key) == 401, "a wrong signature")
        let stolen = FAPI2Client.ProofChanges(header: [("jwk", other.jwk)])
        #expect(try await client.userInfo(token, stolen, signedBy: other.key) == 401, "another key")

        #expect(try await client.userInfo(token, id: "1") == 200)
        #expect(try await client.userInfo(token, id: "1") == 401, "a used id")
        let accepted: [FAPI2Client.ProofChanges] = [
            .init(claims: [("htu", .string(address + "?query#fragment"))]),
            .init(claims: [("htu", .string(address.replacing("http://", with: "HTTP://")))]),
            .init(claims: [("htu", .string(address.replacing("127.0.0.1", with: "127.0.0.1:80")))]),
            .init(header: [("extra", "x")], claims: [("extra", ["x"])]), .init(),
        ]
        for changes in accepted { #expect(try await client.userInfo(token, changes) == 200, "\(changes)") }
    }
}
