import Foundation
import LatchKit
import TestSupport
import Testing

@testable import LatchScreens

/// The secret store of the app is chosen as in `latch`.
@MainActor
@Suite("Secret store of the app", .timeLimit(.minutes(5)))
struct SecretStoreTests {
    /// Runs `body` with an app that chooses its store itself.
    private func withApp(
        _ environment: [String: String], _ body: (AppFixture, AppScreen) async throws -> Void
    ) async throws {
        try await AppFixture.with { fixture in
            var configuration = fixture.configuration
            configuration.secrets = nil
            let app = AppScreen(configuration, browser: nil, environment: environment)
            app.start()
            try await attempt {
                try await body(fixture, app)
            } finally: {
                await app.stop()
            }
        }
    }

    @Test("TT-5 LATCH_SECRETS and LATCH_SECRETS_KEY choose the sealed file and its key")
    func keyFile() async throws {
        let folder = try TemporaryDirectory()
        let key = folder.file("key")
        #expect(
            FileManager.default.createFile(
                atPath: key, contents: Data(repeating: 7, count: 32), attributes: [.posixPermissions: 0o600]))
        try await withApp(["LATCH_SECRETS": "file", "LATCH_SECRETS_KEY": key]) { fixture, app in
            _ = try await fixture.signIn(app)
            let files = try FileManager.default.contentsOfDirectory(atPath: fixture.folders.data)
            #expect(files.contains("secrets.sealed") && !files.contains("secrets.key"))
        }
    }

    @Test("TT-5 another word in LATCH_SECRETS is an error that names the variable")
    func wrongWord() async throws {
        try await withApp(["LATCH_SECRETS": "cloud"]) { _, app in
            try await observed { if case .failed = app.state { true } else { false } }
            guard case .failed(let error) = app.state else { return }
            #expect(error.message.hasPrefix("The variable LATCH_SECRETS must be service or file."))
        }
    }
}
