import DesktopDriver
import Foundation
import LatchKit
import Testing

extension WindowTests {
    /// A sealed file of secrets that is locked with a passphrase.
    @Suite("Passphrase in the window")
    struct PassphrasePageTests {
        @Test("TT-5 the window asks for the passphrase of the secrets; after a wrong one Retry asks again")
        func passphrase() async throws {
            try await withSandbox { sandbox in
                let folders = try PersonFolders()
                let place = Folders(data: folders.root.path + "/data/latchstring")
                let client = try await LatchClient.open(
                    LatchClient.Configuration(
                        folders: place, secrets: DeviceSecrets(.file, folders: place) { _ in Secret("open sesame 12") })
                )
                let server = try await client.probe(ServerAddress(sandbox.addresses["immich"]!)).requireServer()
                let signIn = try PasswordSignIn(
                    email: "ada@example.org", password: Secret(sandbox.passwords["ada@example.org"]!))
                _ = try await client.signIn(signIn, to: server)
                await client.close()
                try await withApp(folders) { app, _ in
                    try await app.wait(for: .heading, "Open your accounts")
                    // The field has the focus.
                    try await app.type(keys: "wrong sesame 12")
                    try await app.press(keys: "Return")
                    try await app.press("Retry")
                    try await app.type("open sesame 12", into: "Passphrase")
                    try await app.press("Open")
                    try await app.wait(for: .label, "ada@example.org")
                }
            }
        }
    }
}
