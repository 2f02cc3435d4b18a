import Crypto
import HTTPMessages
import JOSE
import OAuth
import TestSupport
import Testing

@testable import GatewayCore
@testable import GatewayHTTP
@testable import LatchGateway

extension DynamicPlan {
    /// A client that has registered its keys.
    private struct SignedClient {
        let maker: AssertionMaker
        /// The path and the token of its registration.
        let path: String
        let token: String

        init(_ run: ConformanceRun) async throws {
            let key = try AssertionMaker("").key
            let response = try await send(run, try Self.metadata(AssertionMaker("", key: key)))
            maker = try AssertionMaker(try (response.json?["client_id"]?.string).orThrow, key: key)
            token = try (response.json?["registration_access_token"]?.string).orThrow
            path = "/oauth2/register/" + maker.client
        }

        static func metadata(_ maker: AssertionMaker) -> JSONValue {
            .object([
                .init("client_id", .string(maker.client)), .init("redirect_uris", [.string(redirect)]),
                .init("token_endpoint_auth_method", "private_key_jwt"), .init("jwks", maker.keySet),
            ])
        }

        /// The whole sign-in, with an assertion for an audience.
        func tokens(_ run: ConformanceRun, for audience: String) async throws -> OAuthTokens {
            let fields = try await run.authorize([("client_id", maker.client), ("redirect_uri", redirect)])
            let form = [
                ("grant_type", "authorization_code"), ("code", try fields["code"].orThrow), ("redirect_uri", redirect),
                ("code_verifier", run.fixture.verifier.secret.reveal()),
            ]
            let credentials = try maker.credentials(
                at: run.fixture.gateway.clock.now, [("aud", .string(audience))])
            return try OAuthTokens(try await run.fixture.post("token", form + credentials))
        }

        func refresh(
            _ run: ConformanceRun, _ token: String, by signer: AssertionMaker
        ) async throws -> Exchange.Response {
            let form = [("grant_type", "refresh_token"), ("refresh_token", token)]
            let now = run.fixture.gateway.clock.now
            return try await run.fixture.post("token", form + signer.credentials(at: now))
        }
    }

    static let keys = [
        module("oidcc-ensure-client-assertion-with-iss-aud-succeeds") { (run) async throws in
            let tokens = try await SignedClient(run).tokens(run, for: OAuthFixture.issuer)
            #expect(tokens.id != nil)
        },
        module("oidcc-refresh-token") { (run) async throws in
            // The suite sends the address of the token endpoint as the audience.
            let client = try await SignedClient(run)
            let tokens = try await client.tokens(run, for: OAuthFixture.tokenAddress)
            let renewed = try OAuthTokens(try await client.refresh(run, tokens.refresh, by: client.maker))
            #expect(renewed.access != tokens.access)
            let other = try await SignedClient(run)
            #expect(try await other.refresh(run, renewed.refresh, by: other.maker).json?["error"] == "invalid_grant")
        },
        module("oidcc-refresh-token-rp-key-rotation", .notOffered) { (run) async throws in
            // The suite replaces the key at its 'jwks_uri'. Here, the client replaces it in its registration.
            let client = try await SignedClient(run)
            let tokens = try await client.tokens(run, for: OAuthFixture.issuer)
            let next = try AssertionMaker(client.maker.client)
            let replaced = try await run.fixture.gateway.http.send(
                "PUT", client.path,
                headers: GatewayFixture.bearer(client.token) + [("Content-Type", JSON.mediaType)],
                body: String(decoding: SignedClient.metadata(next).encoded(), as: UTF8.self))
            #expect(replaced.status == 200)
            #expect(try await client.refresh(run, tokens.refresh, by: client.maker).status == 401)
            #expect(try await client.refresh(run, tokens.refresh, by: next).status == 200)
        },
        module("oidcc-server-rotate-keys") { (run) async throws in
            func names() async throws -> Set<String> {
                let keys = try await run.fixture.gateway.http.send("GET", "/oauth2/jwks").json?["keys"]?.array ?? []
                #expect(keys.allSatisfy { $0["d"] == nil && $0["k"] == nil })
                return Set(keys.compactMap { $0["kid"]?.string })
            }
            let before = try await names()
            try await run.fixture.gateway.gateway.stores.signingKeys.rotate()
            let after = try await names()
            #expect(!before.isEmpty && after.count == before.count + 1 && after.isSuperset(of: before))
        },
    ]

    /// Modules of functions that the gateway does not offer.
    static let notOffered =
        [
            module("oidcc-idtoken-rs256", .notOffered) { (run) async throws in
                #expect(try await run.metadata()["id_token_signing_alg_values_supported"] == ["ES256"])
            },
            module("oidcc-idtoken-unsigned", .notOffered) { (run) async throws in
                let offered = try await run.metadata()["id_token_signing_alg_values_supported"]?.array
                #expect(offered?.contains("none") == false)
            },
            module("oidcc-userinfo-rs256", .notOffered) { (run) async throws in
                #expect(try await run.metadata()["userinfo_signing_alg_values_supported"] == nil)
                let response = try await send(
                    run, ["redirect_uris": [.string(redirect)], "userinfo_signed_response_alg": "RS256"])
                #expect(response.status == 201 && response.json?["userinfo_signed_response_alg"] == nil)
            },
            module("oidcc-registration-jwks-uri", .notOffered) { (run) async throws in
                let metadata: JSONValue = [
                    "redirect_uris": [.string(redirect)], "token_endpoint_auth_method": "private_key_jwt",
                    "jwks_uri": "https://dynamic.example.org/jwks",
                ]
                let response = try await send(run, metadata)
                #expect(response.status == 400 && response.json?["error"] == "invalid_client_metadata")
                #expect(response.json?["error_description"]?.string?.contains("jwks_uri") == true)
            },
            module("oidcc-ensure-request-object-with-redirect-uri", .notOffered) { (run) async throws in
                let request = Base64URL.encode(Array(#"{"redirect_uri":"https://evil.example/"}"#.utf8))
                #expect(try await run.error([("request", "e30.\(request).")]) == "request_not_supported")
            },
        ]
        + ["uri", "bad"].map { name in
            module("oidcc-registration-sector-\(name)", .notOffered) { (run) async throws in
                // The suite skips the module where subjects cannot be pairwise.
                #expect(try await run.metadata()["subject_types_supported"] == ["public"])
            }
        }
        + ["unsigned", "signed-rs256"].map { name in
            module("oidcc-request-uri-\(name)", .notOffered) { (run) async throws in
                let error = try await run.error([("request_uri", "https://dynamic.example.org/request")])
                #expect(try await run.metadata()["request_uri_parameter_supported"] == false)
                #expect(error == "request_uri_not_supported")
            }
        }
}
