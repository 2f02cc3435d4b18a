import HTTPClient
import HTTPServer
import ScriptedProvider
import TestSupport
import Testing

@testable import LatchKit

/// A server and its identity provider that both have certificates of their own.
@Suite(.timeLimit(.minutes(20))) struct RelateMailPinTests {
    @Test("RM-5 the server's pin is only for the server, and its provider is verified by the authorities")
    func pin() async throws {
        let authority = try await Authority.make()
        let pair = try await authority.issue()
        let files = try CertificateFiles(certificatePath: pair.certificate, keyPath: pair.key).read()
        let fixture = try await RelateMailFixture(credentials: TLSCredentials(files))
        let folder = try TemporaryDirectory()
        let front = try await TLSFront(to: UInt16(fixture.wire.port), in: folder)
        let address = try ServerAddress("https://127.0.0.1:\(front.port)")
        let latch = try await fixture.home.open()
        var options = ConnectionOptions(
            authorities: .only(pemFile: authority.own.certificate),
            pinnedCertificate: CertificateFingerprint(front.fingerprint), proxy: "")

        // Where the provider is vouched for, that its certificate is not the pinned one is nothing against it.
        let account = try await fixture.signIn(latch, connection: options, at: address)
        #expect(try await latch.session(for: account).identity().email == "ada@example.org")
        #expect(fixture.provider.requests.contains("/token"), "\(fixture.provider.requests)")

        // The pin vouches for the server and for nobody else.
        options.authorities = .system
        #expect(try await fixture.probe(options, at: address).failure == nil)
        let error = await #expect(throws: LatchError.self) {
            try await fixture.signIn(latch, connection: options, at: address)
        }
        #expect(error?.code == .providerUnavailable && error?.message.contains("certificate") == true)

        // The other way round the server is refused, by whatever it is vouched for.
        options = ConnectionOptions(
            authorities: .only(pemFile: front.certificate),
            pinnedCertificate: CertificateFingerprint(try await authority.fingerprint(pair.certificate)), proxy: "")
        #expect(try await fixture.probe(options, at: address).failure?.code == .certificatePinMismatch)
        await latch.close()
        await fixture.stop()
    }
}
