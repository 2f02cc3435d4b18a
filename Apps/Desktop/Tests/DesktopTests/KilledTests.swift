import DesktopDriver
import Foundation
import Testing

extension WindowTests {
    /// The program ends by SIGKILL in the middle of what it does.
    @Suite("Killed", .sandbox)
    struct KilledTests {
        @Test("RM-1 RM-2 IM-6 IM-11 killed after each of 25 changes of its files or the end, nothing is half-done")
        func killed() async throws {
            let sandbox = try #require(SandboxTrait.sandbox)
            let folders = try PersonFolders()
            for moment in 1...25 {
                // A sign-in, and then a sign-out of what the sign-in has left.
                try await kill(at: moment, folders) { @Accessibility app in
                    if app.isVisible(.field, "Server URL") { try await app.connect(to: sandbox.addresses["immich"]!) }
                    guard app.isVisible(.field, "Password") else { return }
                    try await app.type("ada@example.org", into: "Email")
                    try await app.type(sandbox.passwords["ada@example.org"]!, into: "Password")
                    try await app.press("Login")
                    try await app.wait(for: .label, "ada@example.org")
                }
                if try await folders.latch("whoami").code != 0 {
                    try await folders.signIn("ada@example.org", sandbox, "immich")
                }
                try await kill(at: moment, folders) { @Accessibility app in
                    try await app.wait(for: .label, "ada@example.org")
                    try await app.press("Accounts")
                    try await app.press("Sign out")
                    try await app.wait(for: .label, "Sign out?")
                    try await app.press("Sign out")
                    try await app.wait(for: .field, "Server URL")
                }
            }
            try await withApp(folders) { @Accessibility app, _ in try await app.wait(for: .frame, "Latchstring") }
        }

        /// Starts the program, kills it at a change of its files while it does something, and checks what is left.
        @Accessibility
        private func kill(
            at change: Int, _ folders: PersonFolders, _ act: @Accessibility (DesktopApp) async throws -> Void
        ) async throws {
            let app = try await DesktopApp.launch(folders)
            try await app.waitForPage()
            let id = app.program.id
            try FileChanges.at(change, in: folders.root.appending(path: "data/latchstring")) {
                Foundation.kill(id, SIGKILL)
            }
            // What the kill interrupts fails here too.
            try? await act(app)
            await app.program.end(SIGKILL)

            let accounts = try await folders.latch("accounts", "--json")
            #expect(accounts.code == 0, "\(change): \(accounts.errors)")
            #expect(accounts.output.split(separator: "\"active\":true").count <= 2, "\(accounts.output)")
            #expect([0, 77].contains(try await folders.latch("whoami").code), "\(change)")
        }
    }
}

@Accessibility
extension DesktopApp {
    /// Waits for a page that a person can use.
    fileprivate func waitForPage() async throws {
        try await wait(forSensitive: "Main menu")
        try await waitUntilGone(.label, "Opening…")
    }
}
