import DesktopDriver
import Testing

extension WindowTests {
    /// Several accounts on one device.
    @Suite("Accounts in the window")
    struct AccountsTests {
        @Test("RM-2 RM-3 a second account becomes active, Switch returns to the first, and IM-11 sign-out asks first")
        func accounts() async throws {
            try await withSandbox { sandbox in
                try await withApp { app, _ in
                    try await app.signIn("ada@example.org", sandbox, "immich")
                    try await app.press("Accounts")
                    try await app.press("Add account")
                    try await app.signIn("bob@example.org", sandbox, "onyx")
                    try await app.press("Accounts")
                    try await app.press(containing: "Switch to this account: ada@example.org")
                    try await app.wait(for: .label, "ada@example.org")
                    try await app.press("Accounts")
                    try await app.press("Sign out")
                    try await app.wait(for: .label, "Sign out?")
                    try await app.answer("Cancel")
                    try await app.press("Sign out of all")
                    try await app.wait(for: .label, "Sign out?")
                    try await app.answer("Sign out")
                    try await app.wait(for: .field, "Server URL")
                }
            }
        }

        @Test("RM-1 IM-10 the next start opens the app without a sign-in")
        func nextStart() async throws {
            try await withSandbox { sandbox in
                let folders = try PersonFolders()
                try await withApp(folders) { app, _ in try await app.signIn("ada@example.org", sandbox, "immich") }
                try await withApp(folders) { app, _ in try await app.wait(for: .label, "ada@example.org") }
            }
        }
    }
}
