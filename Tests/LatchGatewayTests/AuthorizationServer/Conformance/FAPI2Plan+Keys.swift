import FoundationEssentials
import HTTPMessages
import JOSE
import TestSupport
import Testing

@testable import LatchGateway

extension FAPI2Plan {
    /// Modules that succeed.
    static let signIns =
        [
            module("discovery-end-point-verification") { (run) async throws in
                let metadata = try await run.metadata()
                #expect(metadata["response_types_supported"]?.array?.contains("code") == true)
                #expect(metadata["authorization_response_iss_parameter_supported"] == true)
                #expect(metadata["pushed_authorization_request_endpoint"]?.string != nil)
                #expect(metadata["code_challenge_methods_supported"] == ["S256"])
                let methods = metadata["token_endpoint_auth_methods_supported"]?.array
                #expect(methods?.contains("private_key_jwt") == true)
                #expect(metadata["dpop_signing_alg_values_supported"]?.array?.contains("ES256") == true)
            },
            module("happy-flow") { (run) async throws in
                let client = try FAPI2Client(run)
                let fields = try await client.authorize(proof: try client.proof("par"))
                #expect(fields["iss"] == OAuthFixture.issuer && fields["state"] == "the state")
                let code = try fields["code"].orThrow
                let tokens = try OAuthTokens(try await client.exchange(code, proof: try client.proof("token")))
                #expect(try await run.claims(tokens)["aud"] == .string(run.signed.client))
                #expect(try await client.userInfo(tokens.access) == 200)
                #expect(try await run.fixture.userInfo(fields: []).status == 401)
                let address = "/oauth2/userinfo?access_token=" + tokens.access
                #expect(try await run.fixture.gateway.http.send("GET", address).status == 401)
            },
            module("ensure-authorization-request-without-state-success") { (run) async throws in
                let fields = try await FAPI2Client(run).authorize([("state", nil)])
                #expect(fields["code"] != nil && fields["state"] == nil)
            },
            module("ensure-authorization-request-without-nonce-success") { (run) async throws in
                let tokens = try await FAPI2Client(run).tokens([("nonce", nil)])
                #expect(try await run.claims(tokens)["nonce"] == nil)
            },
            module("ensure-other-scope-order-succeeds") { (run) async throws in
                #expect(try await FAPI2Client(run).tokens([("scope", "email openid")]).id != nil)
            },
            module("access-token-type-header-case-sensitivity") { (run) async throws in
                let client = try FAPI2Client(run)
                let token = try await client.tokens().access
                let proof = try client.proofs.proof(
                    "GET", OAuthFixture.userInfoAddress, at: run.fixture.gateway.clock.now, token: token)
                #expect(try await client.userInfo(token, scheme: "dpOp", fields: [("DPoP", proof)]) == 200)
            },
            module("test-claims-parameter-identity-claims", .notOffered) { (run) async throws in
                #expect(try await run.metadata()["claims_parameter_supported"] == false)
            },
        ]
        + [
            ("ensure-authorization-request-with-64-char-nonce-success", 64),
            ("ensure-authorization-request-with-long-nonce", 384),
        ]
        .map { name, length in
            module(name) { (run) async throws in
                let nonce = String(repeating: "n", count: length)
                let tokens = try await FAPI2Client(run).tokens([("nonce", nonce)])
                #expect(try await run.claims(tokens)["nonce"] == .string(nonce))
            }
        } + [
            module("ensure-authorization-request-with-long-state") { (run) async throws in
                let state = String(repeating: "s", count: 1_000)
                #expect(try await FAPI2Client(run).authorize([("state", state)])["state"] == state)
            },
            module("plain-fapi-tolerate-unregistered-redirect-uri") { (run) async throws in
                let address = OAuthFixture.webRedirect + "/unregistered"
                #expect(isRefused(try await FAPI2Client(run).push([("redirect_uri", address)])))
            },
        ]

    /// Whether the credentials of a client were refused.
    private static func isUnknown(_ response: Exchange.Response) -> Bool {
        response.status == 401 && response.json?["error"] == "invalid_client"
    }

    /// A module that sends an assertion with other claims to the token endpoint, where it is refused.
    private static func wrongAssertion(
        _ name: String, _ changes: @escaping @Sendable (Double) -> [(String, JSONValue?)]
    ) -> ConformanceCase {
        module("ensure-client-assertion-" + name) { (run) async throws in
            let client = try FAPI2Client(run)
            let (code, now) = (try await client.authorize()["code"].orThrow, run.fixture.gateway.clock.now)
            let credentials = try run.signed.credentials(at: now, changes(now.timeIntervalSince1970.rounded()))
            let proof = try client.proof("token")
            #expect(isUnknown(try await client.exchange(code, proof: proof, credentials: credentials)))
            #expect(try await client.exchange(code, proof: try client.proof("token")).status == 200, "used up")
        }
    }

    /// A module that pushes a request with an assertion for another audience, where it is refused.
    private static func wrongAudience(_ name: String, _ audience: JSONValue) -> ConformanceCase {
        module("par-test-\(name)-as-audience-fails") { (run) async throws in
            let client = try FAPI2Client(run)
            #expect(isUnknown(try await client.push(assertion: [("aud", audience)])))
            #expect(try await client.push().status == 201)
        }
    }

    static let assertions = [
        module("ensure-signed-client-assertion-with-RS256-fails") { (_) async throws in
            let signed = try AssertionMaker("signed", key: .generate(.ps256))
            try await ConformanceRun.with(signed: signed) { run in
                let client = try FAPI2Client(run)
                let code = try await client.authorize()["code"].orThrow
                let other = try AssertionMaker("signed", key: SigningKey(signed.key, for: .rs256))
                let credentials = try other.credentials(at: run.fixture.gateway.clock.now)
                let proof = try client.proof("token")
                #expect(isUnknown(try await client.exchange(code, proof: proof, credentials: credentials)))
                #expect(try await client.exchange(code, proof: try client.proof("token")).status == 200)
            }
        },
        module("ensure-client-assertion-in-token-endpoint") { (run) async throws in
            let client = try FAPI2Client(run)
            let code = try await client.authorize()["code"].orThrow
            let credentials = [("client_id", run.signed.client)]
            let proof = try client.proof("token")
            #expect(isUnknown(try await client.exchange(code, proof: proof, credentials: credentials)))
        },
        wrongAssertion("with-exp-is-5-minutes-in-past-fails") { [("exp", .number($0 - 300))] },
        wrongAssertion("with-wrong-aud-fails") { _ in [("aud", "https://other.example.org")] },
        wrongAssertion("with-no-sub-fails") { _ in [("sub", nil)] },
        module("par-ensure-jwt-client-assertions-nbf-8-seconds-in-the-future-is-accepted") { (run) async throws in
            let later = JSONValue.number(run.fixture.gateway.clock.now.timeIntervalSince1970.rounded() + 8)
            #expect(try await FAPI2Client(run).push(assertion: [("iat", later), ("nbf", later)]).status == 201)
        },
        module("par-ensure-jwt-client-assertions-nbf-over-60-seconds-in-the-future-fails") { (run) async throws in
            let later = run.fixture.gateway.clock.now.timeIntervalSince1970.rounded() + 70
            let changes: [(String, JSONValue?)] = [
                ("iat", .number(later)), ("nbf", .number(later)), ("exp", .number(later + 60)),
            ]
            #expect(isUnknown(try await FAPI2Client(run).push(assertion: changes)))
        },
        wrongAudience("array", [.string(OAuthFixture.issuer), "https://other.example.org"]),
        wrongAudience("par-endpoint-url", .string(OAuthFixture.issuer + "/oauth2/par")),
        wrongAudience("token-endpoint-url", .string(OAuthFixture.tokenAddress)),
    ]
}
