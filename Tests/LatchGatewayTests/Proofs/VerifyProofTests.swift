import Crypto
import FoundationEssentials
import HTTPMessages
import TestSupport
import Testing

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayHTTP
@testable import LatchGateway

/// Bound tokens at `/auth/verify` and in the dialects.
@Suite("Bound tokens at protected servers and in dialects", .timeLimit(.minutes(20)))
struct VerifyProofTests {
    private static let address = "https://app.example.org/files/1"

    @Test("RFC 9449 §7 a bound token opens a protected server with a proof for the address that the proxy names")
    func protectedServer() async throws {
        try await OAuthFixture.with { fixture in
            let (maker, other) = (try ProofMaker(), try ProofMaker())
            let parameters = fixture.parameters + [("resource", OAuthFixture.resource)]
            let tokens = try await fixture.boundTokens(maker, parameters)
            let token = tokens.access
            let now = fixture.gateway.clock.now
            func proof(_ maker: ProofMaker, _ method: String = "GET", _ address: String = Self.address) throws -> String
            {
                try maker.proof(method, address, at: now, token: token)
            }
            let scheme = ("Authorization", "DPoP " + token)
            let fields = [scheme, ("DPoP", try proof(maker))]
            let accepted = try await fixture.verify(fields: fields)
            #expect(accepted.status == 200 && accepted.headers["X-Auth-Name"] == "Ada")
            let repeated = try await fixture.verify(fields: fields)
            #expect(repeated.status == 401 && repeated.headers["WWW-Authenticate"]?.contains("used before") == true)

            let refused: [(String, String, [(String, String)])] = [
                ("no proof", "invalid_dpop_proof", [scheme]),
                ("another key", "invalid_token", [scheme, ("DPoP", try proof(other))]),
                ("another method", "invalid_dpop_proof", [scheme, ("DPoP", try proof(maker, "POST"))]),
                (
                    "another path", "invalid_dpop_proof",
                    [scheme, ("DPoP", try proof(maker, "GET", "https://app.example.org/files/2"))]
                ),
                (
                    "the gateway's own address", "invalid_dpop_proof",
                    [scheme, ("DPoP", try proof(maker, "GET", OAuthFixture.issuer + "/auth/verify"))]
                ),
                ("two proofs", "invalid_dpop_proof", [scheme, ("DPoP", try proof(maker)), ("DPoP", try proof(maker))]),
                (
                    "the scheme Bearer", "invalid_token",
                    [("Authorization", "Bearer " + token), ("DPoP", try proof(maker))]
                ),
                ("the scheme Bearer alone", "invalid_token", [("Authorization", "Bearer " + token)]),
            ]
            for (name, error, fields) in refused {
                let response = try await fixture.verify(fields: fields)
                let challenge = try #require(response.headers["WWW-Authenticate"])
                #expect(response.status == 401 && challenge.contains(#"error="\#(error)""#), "\(name): \(challenge)")
                #expect(challenge.contains("resource_metadata="), "\(name)")
            }
        }
    }

    @Test("the bound token of a client is no token of a dialect, also where sessions.tokens is rotating")
    func tokenOfClient() async throws {
        try await OAuthFixture.with({ $0.sessions.tokens = .rotating }) { fixture in
            let tokens = try await fixture.boundTokens(try ProofMaker())
            #expect(try await fixture.gateway.gateway.issuer.authenticate(tokens.access) == .unrecognized)
            let plain = try await fixture.tokens()
            #expect(try await fixture.gateway.gateway.issuer.authenticate(plain.access) == .unrecognized)
            #expect(try await fixture.gateway.me(plain.access).status == 403)
        }
    }

    @Test("RFC 9449 a dialect's session that began with a proof is accepted with proofs only, on every route")
    func dialects() async throws {
        try await EveryRoute.with { fixture in
            let (maker, other) = (try ProofMaker(), try ProofMaker())
            let base = "http://127.0.0.1"
            func proof(
                _ method: String, _ path: String, token: String? = nil, by signer: ProofMaker? = nil
            ) throws -> [(String, String)] {
                [("DPoP", try (signer ?? maker).proof(method, base + path, at: fixture.clock.now, token: token))]
            }
            let login = try await fixture.login(headers: try proof("POST", "/api/auth/mobile/login"))
            let token = try #require(login.token)
            #expect(login.json?["token_type"] == "DPoP")
            let scheme = [("Authorization", "DPoP " + token)]

            // Each is the request that asks who is signed in.
            for path in ["/api/me", "/im/users/me", "/tt/auth/me", "/rm/api/profile"] {
                func ask(_ fields: [(String, String)]) async throws -> Int {
                    try await fixture.http.send("GET", path, headers: fields).status
                }
                for fields in [
                    GatewayFixture.bearer(token), scheme, scheme + (try proof("GET", path, token: token, by: other)),
                    scheme + (try proof("GET", path)), scheme + (try proof("GET", "/other", token: token)),
                    GatewayFixture.bearer(token) + (try proof("GET", path, token: token)),
                ] {
                    let status = try await ask(fields)
                    #expect(status == 401 || status == 403, "\(path) \(status)")
                }
                let fields = scheme + (try proof("GET", path, token: token))
                #expect(try await ask(fields) == 200, "\(path)")
                #expect(try await ask(fields) == 401, "a repeated proof at \(path)")
            }
            // A session that a bound one creates is bound to the same key.
            let made = try await fixture.http.send(
                "POST", "/im/sessions",
                headers: scheme + (try proof("POST", "/im/sessions", token: token)) + [
                    ("Content-Type", "application/json")
                ], body: #"{"deviceType":"Frame"}"#)
            let child = try #require(made.json?["token"]?.string)
            #expect(
                try await fixture.http.send("GET", "/im/users/me", headers: GatewayFixture.bearer(child)).status == 401)
            for (signer, status) in [(other, 401), (maker, 200)] {
                let fields =
                    try [("Authorization", "DPoP " + child)] + proof("GET", "/im/users/me", token: child, by: signer)
                #expect(try await fixture.http.send("GET", "/im/users/me", headers: fields).status == status)
            }
            // A stolen token neither extends the session nor appears in memory.
            #expect(try await fixture.refresh(token).status == 401)
            let refreshed = try await fixture.http.send(
                "POST", "/api/auth/mobile/refresh",
                headers: scheme + (try proof("POST", "/api/auth/mobile/refresh", token: token)), body: "")
            #expect(refreshed.status == 200 && refreshed.token == token)

            let verified = try await fixture.http.send(
                "GET", "/auth/verify",
                headers: [
                    ("X-Forwarded-Host", "app.example.org"), ("X-Forwarded-Proto", "https"),
                    ("X-Forwarded-Method", "GET"), ("X-Forwarded-Uri", "/files/1"),
                    ("DPoP", try maker.proof("GET", Self.address, at: fixture.clock.now, token: token)),
                ] + scheme)
            #expect(verified.status == 200)
            // A session without a proof needs none, and a proof that is not valid is refused everywhere.
            let plain = try await fixture.token()
            #expect(try await fixture.me(plain).status == 200)
            let broken = try await fixture.http.send(
                "GET", "/api/me", headers: GatewayFixture.bearer(plain) + [("DPoP", "nonsense")])
            #expect(broken.status == 401)
            #expect(broken.headers["WWW-Authenticate"]?.contains("invalid_dpop_proof") == true)
        }
    }
}
