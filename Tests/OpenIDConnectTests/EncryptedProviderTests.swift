import HTTPMessages
import HTTPServer
import OpenIDConnect
import ScriptedProvider
import TestSupport
import Testing

/// A provider over TLS, at home: on a private address, with an authority of one's own.
@Suite(.timeLimit(.minutes(20))) struct EncryptedProviderTests {
    @Test("A provider with a private authority is trusted only if that authority is configured")
    func ownAuthority() async throws {
        let authority = try await Authority.make()
        let credentials = try await credentials(authority)
        let trusting = try await SignIn(
            ProviderScript(), credentials: credentials, authority: authority.own.certificate)
        let strange = try await SignIn(ProviderScript(), credentials: credentials)

        #expect(try await trusting.identity().issuer == trusting.provider.issuer)
        let error = await #expect(throws: OpenIDConnectError.self) { try await strange.identity() }

        #expect(error?.code == .unreachable)
        #expect(error?.message.contains("certificate") == true)
        await trusting.stop()
        await strange.stop()
    }

    @Test("A provider with TLS may not name an http address, not even on loopback")
    func downgrade() async throws {
        let authority = try await Authority.make()
        let script = ProviderScript { $0.discovery = { $0["token_endpoint"] = "http://127.0.0.1:9/token" } }
        let signIn = try await SignIn(
            script, credentials: credentials(authority), authority: authority.own.certificate)

        let error = await #expect(throws: OpenIDConnectError.self) { try await signIn.identity() }

        #expect(error?.code == .invalidResponse)
        #expect(error?.message.contains("'token_endpoint' does not use https") == true)
        await signIn.stop()
    }

    private func credentials(_ authority: Authority) async throws -> TLSCredentials {
        let pair = try await authority.issue()
        return TLSCredentials(
            try CertificateFiles(certificatePath: pair.certificate, keyPath: pair.key).read())
    }
}
