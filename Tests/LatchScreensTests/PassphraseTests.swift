import LatchKit
import TestSupport
import Testing

@testable import LatchScreens

/// A sealed file of secrets that is locked with a passphrase.
@MainActor
@Suite("Passphrase of the secrets", .timeLimit(.minutes(10))) struct PassphraseTests {
    @Test(
        "TT-5 the app asks for the passphrase; a wrong one is refused with Retry, and the right one opens the account")
    func passphrase() async throws {
        try await AppFixture.with { fixture in
            let secrets = DeviceSecrets(.file, folders: fixture.folders) { _ in Secret("open sesame 12") }
            let client = try await LatchClient.open(fixture.configuration(with: secrets))
            let server = try await client.probe(ServerAddress(try fixture.url("immich"))).requireServer()
            _ = try await client.signIn(
                PasswordSignIn(email: fixture.ada.email, password: Secret(fixture.ada.password)), to: server)
            await client.close()

            let app = fixture.start(secrets: nil)
            let first = try await app.passphrase()
            #expect(first.reason.contains("latchstring") && !first.canOpen)
            first.passphrase = "wrong sesame 12"
            first.open()
            #expect(first.passphrase.isEmpty)
            let error: ScreenError = try await app.value {
                switch $0 {
                case .failed(let error), .unavailable(_, let error): error
                default: nil
                }
            }
            #expect(
                error.code == .wrongPassphrase && error.message.hasPrefix("The passphrase of your secrets is wrong."))
            app.retry()
            let second = try await app.passphrase()
            second.passphrase = "open sesame 12"
            second.open()
            #expect(try await app.main().account.userEmail == fixture.ada.email)
        }
    }
}
