import OpenIDConnect
import ScriptedProvider
import TestSupport
import Testing

/// Every case of a code-flow relying party, by the name it has in the OpenID Foundation's tests.
@Suite(.timeLimit(.minutes(20))) struct HostileProviderTests {
    @Test("A correct provider signs a person in", arguments: ProviderCase.all.filter(\.isGood))
    func good(_ row: ProviderCase) async throws {
        let signIn = try await SignIn(row.script)

        let first = try await signIn.identity()
        try signIn.provider.finishFirstSignIn()
        let second = try await signIn.identity()

        #expect(first == second)
        #expect(
            first
                == ProviderIdentity(
                    issuer: signIn.provider.issuer, subject: ScriptedProvider.subject, email: ScriptedProvider.email,
                    isEmailVerified: true, name: "Ada Lovelace", sessionID: "session-1"))
        #expect(!signIn.provider.requests.contains("/elsewhere"))
        #expect(!signIn.provider.requests.contains("/distributed"))
        await signIn.stop()
    }

    @Test("After an invalid response there is no identity", arguments: ProviderCase.all.filter(\.isBad))
    func bad(_ row: ProviderCase) async throws {
        let signIn = try await SignIn(row.script)

        let error = await #expect(throws: OpenIDConnectError.self) { try await signIn.identity() }

        #expect(signIn.wasSent == (row.outcome != .refusedBeforehand))
        let requests = signIn.provider.requests
        #expect(requests.contains("/token") == row.outcome.isAfterCallback, "\(requests)")
        #expect(requests.contains("/userinfo") == (row.outcome == .refusedAtUserInfo), "\(requests)")
        #expect(!requests.contains("/elsewhere"))
        let message = try #require(error).message + (error?.providerDescription ?? "")
        #expect(
            !message.leaks("code-0123456789") && !message.leaks("access-0123456789")
                && !message.leaks(ScriptedProvider.clientSecret),
            "\(message)")
        await signIn.stop()
    }
}

extension ProviderCase {
    fileprivate var isGood: Bool { outcome == .signedIn }
    /// Who compares `state` is the caller of a relying party.
    fileprivate var isBad: Bool { outcome != .signedIn && !concernsState }
}

extension ProviderCase.Outcome {
    fileprivate var isAfterCallback: Bool { self == .refusedAtExchange || self == .refusedAtUserInfo }
}
