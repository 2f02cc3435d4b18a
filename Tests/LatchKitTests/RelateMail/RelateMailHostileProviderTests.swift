import Foundation
import ScriptedProvider
import TestSupport
import Testing

@testable import LatchKit

/// Every case of a code-flow relying party, by the name it has in the OpenID Foundation's tests, through the client's whole
/// sign-in: found, begun, come back, finished.
@Suite(.timeLimit(.minutes(10))) struct RelateMailHostileProviderTests {
    @Test(
        "RM-5 a correct provider signs a person in",
        arguments: ProviderCase.all.filter { $0.outcome == .signedIn })
    func good(_ row: ProviderCase) async throws {
        let fixture = try await RelateMailFixture(provider: row.script)
        let latch = try await fixture.home.open()

        let first = try await fixture.signIn(latch)
        try fixture.provider.finishFirstSignIn()
        let second = try await fixture.signIn(latch)

        #expect(first.id == second.id && second.userEmail == ScriptedProvider.email && second.isSignedIn)
        #expect(fixture.server.keys.map(\.id) == [second.apiKeyID])
        #expect(!fixture.provider.requests.contains("/elsewhere"))
        await latch.close()
        await fixture.stop()
    }

    @Test(
        "RM-5 after an invalid response there is no account, key or token, and the error is reported",
        arguments: ProviderCase.all.filter { $0.outcome != .signedIn && !$0.concernsState })
    func bad(_ row: ProviderCase) async throws {
        let fixture = try await RelateMailFixture(provider: row.script)
        let latch = try await fixture.home.open()

        let error = try await #require(throws: LatchError.self) { try await fixture.signIn(latch) }

        #expect(Self.words(for: row).contains { error.message.contains($0) }, "\(row): \(error.message)")
        // IM-16
        #expect(error.message.hasPrefix("OAuth login failed: "), "\(error.message)")
        let requests = fixture.provider.requests
        let isAfterCallback = row.outcome == .refusedAtExchange || row.outcome == .refusedAtUserInfo
        #expect(requests.contains("/authorize") == (row.outcome != .refusedBeforehand), "\(requests)")
        #expect(requests.contains("/token") == isAfterCallback, "\(requests)")
        #expect(requests.contains("/userinfo") == (row.outcome == .refusedAtUserInfo), "\(requests)")
        #expect(!requests.contains("/elsewhere"))
        try await expectNothing(fixture, latch, error)
    }

    @Test(
        "RM-5 a response without this sign-in's state changes nothing",
        arguments: ProviderCase.all.filter(\.concernsState))
    func state(_ row: ProviderCase) async throws {
        let fixture = try await RelateMailFixture(provider: row.script)
        let latch = try await fixture.home.open()
        let found = try await fixture.probe().requireServer()
        let signingIn = Task { try await latch.signIn(fixture.person.signIn(), to: found) }

        let link = try await fixture.person.link(from: await fixture.person.address())
        #expect(link.hasPrefix("relate-mail://auth/callback?"))
        let error = try #require(throws: LatchError.self) { try fixture.person.open(link) }
        #expect(error.code == .noPendingSignIn)
        #expect(!fixture.provider.requests.contains("/token"))
        signingIn.cancel()
        await #expect(throws: (any Error).self) { try await signingIn.cancellableValue }

        try await expectNothing(fixture, latch, error)
    }

    private func expectNothing(_ fixture: RelateMailFixture, _ latch: LatchClient, _ error: LatchError) async throws {
        #expect(try await latch.accounts.rowIDs().isEmpty)
        #expect(fixture.server.keys.isEmpty)
        #expect(!fixture.wire.requests.contains { $0.headers["Authorization"] != nil })
        for secret in ["access-0123456789", "code-0123456789"] + Leaks.tokenStarts {
            #expect(try fixture.home.files(holding: secret).isEmpty)
            #expect(!error.message.leaks(secret), "\(error.message)")
        }
        await latch.close()
        await fixture.stop()
    }

    /// Of what one must be in the error: the claim that was wrong, where there was one, else the answer that was.
    private static func words(for row: ProviderCase) -> [String] {
        if let claim = claims.first(where: { row.name.contains($0.0) })?.1 { return [claim] }
        switch row.outcome {
        case .refusedBeforehand: return ["the discovery document of"]
        case .refusedAtCallback:
            return ["The callback", "the response of", "denied in the browser", "does not come from"]
        case .refusedAtExchange:
            return ["The ID token", "the token endpoint", "the keys", "the code exchange", "token response"]
        default: return ["UserInfo"]
        }
    }

    private static let claims = [
        ("test-invalid-iss", "its 'iss'"), ("missing-iss", "'iss'"), ("missing-sub", "'sub'"), ("missing-iat", "'iat'"),
        ("invalid-aud", "'aud'"), ("missing-aud", "'aud'"), ("secondary-aud", "'aud'"), ("expired-exp", "expired"),
        ("missing-exp", "'exp'"), ("nonce", "'nonce'"), ("invalid-chash", "'c_hash'"), ("invalid-athash", "'at_hash'"),
        ("authorized party is another", "'azp'"), ("userinfo-invalid-sub", "UserInfo"), ("subject is", "'sub'"),
        ("comes from the future", "future"), ("no ID token", "returned no ID token"), ("twice", "twice"),
        ("person does not agree", "denied"), ("sig-none", "not signed"), ("issuer-mismatch", "another issuer"),
    ]
}
