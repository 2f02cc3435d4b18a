import Crypto
import FoundationEssentials
import HTTPMessages
import OAuth
import TestSupport
import Testing

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayHTTP
@testable import LatchGateway
@testable import Redis
@testable import SignInBridge

/// Authorization codes that are sent more than once, one after another and at the same time.
@Suite("Codes that are sent twice", .timeLimit(.minutes(20)))
struct ClientCodeReuseTests {
    /// What is between a code and the second request with it.
    private static func with(
        _ kind: CodeStoreKind, _ body: (OAuthFixture, StepwiseCodeStore) async throws -> Void
    ) async throws {
        let codes = StepwiseCodeStore()
        let redis = try await kind == .redis ? RedisServer() : nil
        try await OAuthFixture.with(codes: codes) { fixture in
            let (database, clock) = (fixture.gateway.gateway.stores.database, fixture.gateway.clock)
            switch kind {
            case .memory: codes.use(MemoryCodeStore(now: { clock.now }))
            case .database: codes.use(DatabaseCodeStore(database: database, now: { clock.now }))
            case .redis:
                codes.use(RedisCodeStore(try RedisClient(RedisSettings(url: redis.orThrow.url))))
            }
            try await body(fixture, codes)
        }
    }

    /// The live sessions except that of the browser.
    private static func live(_ fixture: OAuthFixture) async throws -> Int {
        try await fixture.gateway.gateway.stores.sessions.liveCount() - 1
    }

    @Test(
        "RFC 6749 §10.5 a second request with a code ends the session, at whatever step of the first it arrives",
        arguments: CodeStoreKind.allCases, [StepwiseCodeStore.Step.found, .consuming, .consumed])
    func duringTheFirst(_ kind: CodeStoreKind, _ step: StepwiseCodeStore.Step) async throws {
        try await Self.with(kind) { fixture, codes in
            let code = try await fixture.respond(to: fixture.parameters)["code"].orThrow
            codes.once(step) { _ = try await fixture.exchange(code) }
            let response = try await fixture.exchange(code)
            #expect(try await Self.live(fixture) == 0, "\(response.status)")
            if let token = response.token { #expect(try await fixture.userInfo(token).status == 401) }
        }
    }

    @Test(
        "a second request with a wrong verifier ends the session too, at whatever step of the first it arrives",
        arguments: [StepwiseCodeStore.Step.found, .consuming, .consumed])
    func wrongVerifier(_ step: StepwiseCodeStore.Step) async throws {
        try await Self.with(.database) { fixture, codes in
            let code = try await fixture.respond(to: fixture.parameters)["code"].orThrow
            let wrong = PKCE.Verifier().secret.reveal()
            codes.once(step) { _ = try await fixture.exchange(code, [("code_verifier", wrong)]) }
            _ = try await fixture.exchange(code)
            #expect(try await Self.live(fixture) == 0)
        }
    }

    @Test(
        "of eight requests with a code at once at most one gets tokens, and the session is over",
        arguments: CodeStoreKind.allCases)
    func atOnce(_ kind: CodeStoreKind) async throws {
        try await Self.with(kind) { fixture, _ in
            for _ in 0..<4 {
                let code = try await fixture.respond(to: fixture.parameters)["code"].orThrow
                let successes = try await withThrowingTaskGroup { group in
                    for _ in 0..<8 { group.addTask { try await fixture.exchange(code).status == 200 } }
                    return try await group.reduce(0) { $1 ? $0 + 1 : $0 }
                }
                #expect(successes <= 1)
                #expect(try await Self.live(fixture) == 0)
            }
        }
    }

    @Test("a wrong verifier uses the code up, and another client's request does not")
    func refusals() async throws {
        try await OAuthFixture.with { fixture in
            let code = try await fixture.respond(to: fixture.parameters)["code"].orThrow
            let other: [(String, String?)] = [("client_id", "web"), ("client_secret", OAuthFixture.secret)]
            #expect(try await fixture.exchange(code, client: "app", other).json?["error"] == "invalid_grant")
            #expect(try await fixture.exchange(code).status == 200)

            let second = try await fixture.respond(to: fixture.parameters)["code"].orThrow
            let wrong: [(String, String?)] = [("code_verifier", PKCE.Verifier().secret.reveal())]
            #expect(try await fixture.exchange(second, wrong).json?["error"] == "invalid_grant")
            #expect(try await fixture.exchange(second).json?["error"] == "invalid_grant")
        }
    }

    @Test("a used code of a confidential client, sent by a public one or without the secret, ends nothing")
    func usedCodeOfAnother() async throws {
        try await OAuthFixture.with { fixture in
            let code = try await fixture.respond(to: fixture.webParameters)["code"].orThrow
            let web: [(String, String?)] = [("client_id", "web"), ("client_secret", OAuthFixture.secret)]
            let tokens = try OAuthTokens(
                try await fixture.exchange(code, redirect: OAuthFixture.webRedirect, web))
            #expect(try await fixture.exchange(code).status == 400)
            #expect(try await fixture.exchange(code, client: "web").status == 401)
            #expect(try await fixture.userInfo(tokens.access).status == 200)
            #expect(try await fixture.exchange(code, redirect: OAuthFixture.webRedirect, web).status == 400)
            #expect(try await fixture.userInfo(tokens.access).status == 401)
        }
    }
}
