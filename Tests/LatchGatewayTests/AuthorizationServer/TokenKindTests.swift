import Crypto
import FoundationEssentials
import HTTPClient
import HTTPMessages
import TestSupport
import Testing

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayDialects
@testable import GatewayHTTP
@testable import LatchGateway

/// Every kind of token, code and handle at every place that takes one.
@Suite("Kinds of tokens", .timeLimit(.minutes(20)))
struct TokenKindTests {
    @Test(
        "RFC 8725 §2.8 RFC 9068 §5 no kind of token passes for another, at any place of this server",
        arguments: [SessionTokens.stateful, .rotating])
    func matrix(_ sessions: SessionTokens) async throws {
        try await TokenKinds.with(sessions) { kinds in
            let client = try HTTPClient()
            try await attempt {
                try await Self.check(kinds.verifiers + kinds.partyVerifiers(client), kinds)
            } finally: {
                await client.close()
            }
        }
    }

    private static func check(_ verifiers: [TokenVerifier], _ kinds: TokenKinds) async throws {
        var texts: [TokenKind: String] = [:]
        for kind in TokenKind.allCases { texts[kind] = try await kinds.make(kind) }
        for verifier in verifiers {
            for kind in TokenKind.allCases where !verifier.accepts.contains(kind) {
                let isAccepted = try await verifier.check(texts[kind] ?? "")
                #expect(!isAccepted, "\(verifier.name) must refuse \(kind)")
            }
        }
        for verifier in verifiers {
            for kind in verifier.accepts {
                let isAccepted = try await verifier.check(try await kinds.make(kind))
                #expect(isAccepted, "\(verifier.name) must accept \(kind)")
            }
        }
    }

    @Test(
        "the code of the documentation accepts its own kind of token only",
        arguments: [
            ("timetracker-dialect.md", [OAuthFixture.issuer], TokenKind.timeTracker),
            ("authorization-server.md", [OAuthFixture.issuer, OAuthFixture.resource], .signedTokenForResource),
        ])
    func documentation(_ page: String, _ constants: [String], _ accepted: TokenKind) async throws {
        try await TokenKinds.with { kinds in
            var texts: [String] = []
            for kind in TokenKind.allCases { texts.append(try await kinds.make(kind)) }
            // Signed and for the right server, but without the proof that it needs.
            let request = OAuthFixture.replacing(kinds.oauth.parameters, [("client_id", "signed")])
            let bound = try await kinds.oauth.boundTokens(
                kinds.prover, client: "signed", request + [("resource", OAuthFixture.resource)])
            let result = try await TokenCheck.run(
                texts + [bound.access], page: page, keys: "http://127.0.0.1:\(kinds.base.http.port)/oauth2/jwks",
                constants)
            let lines = result.output.split(separator: "\n")
            #expect(lines.count == texts.count + 1, "\(result.errors)")
            for (kind, line) in zip(TokenKind.allCases, lines) {
                #expect((line != "null") == (kind == accepted), "\(page): \(kind)")
            }
            #expect(lines.last == "null")
        }
    }

    @Test("RFC 8707 §2 no client gets tokens for this server's own address, and none with the audience of a dialect")
    func reservedAudiences() async throws {
        try await OAuthFixture.with({ settings in
            settings.timeTracker.isEnabled = true
            settings.timeTracker.audience = OAuthFixture.resource
            settings.authorizationServer.clients.append(
                RegisteredClient(
                    id: "signed", name: "Signed", secretHash: nil, redirects: [OAuthFixture.appRedirect],
                    accessTokens: .signed))
            // Rules without hosts protect every host.
            settings.verify.rules.rules = [AccessRule(named: "all", hosts: [], admission: .signedIn)].compactMap { $0 }
        }) { fixture in
            func refusal(_ resource: String, client: String) async throws -> String? {
                let request = OAuthFixture.replacing(fixture.parameters, [("client_id", client)])
                return try await fixture.respond(to: request + [("resource", resource)])["error"]
            }
            let table: [(String, String, String?)] = [
                (OAuthFixture.issuer, "app", "invalid_target"),
                (OAuthFixture.issuer + "/notes", "app", "invalid_target"),
                (OAuthFixture.resource, "signed", "invalid_target"), (OAuthFixture.resource, "app", nil),
                ("https://other.example.org", "signed", nil),
            ]
            for (resource, client, expected) in table {
                let found = try await refusal(resource, client: client)
                #expect(found == expected, "\(client) \(resource)")
            }
        }
    }

    @Test("RFC 9068 §3 an audience that became that of a dialect later is left out of a client's tokens")
    func laterAudience() async throws {
        try await TokenKinds.with { kinds in
            let key = try await kinds.base.gateway.services.signingKeys.signer(until: kinds.base.clock.now)
            let signer = AccessTokenSigner(
                key: key, issuer: "i", ownAudience: "own", otherAudiences: [OAuthFixture.resource])
            func audience(_ resources: [String]) throws -> JSONValue? {
                let token = try signer.token(
                    ClientGrant(client: "c", scopes: [], audience: resources), of: UUID(),
                    authenticated: kinds.base.clock.now, methods: AuthenticationMethods(reported: []), boundTo: nil,
                    at: kinds.base.clock.now, until: kinds.base.clock.now)
                let payload = token.reveal().split(separator: ".")[1]
                return try JSONValue(parsing: Base64URL.decode(String(payload)).orThrow)["aud"]
            }
            #expect(try audience([OAuthFixture.resource]) == "own")
            #expect(try audience([OAuthFixture.resource, "https://other.example.org"]) == "https://other.example.org")
        }
    }
}
