import DesktopDriver
import Testing

extension WindowTests {
    /// The window without a pointer.
    @Suite("Keyboard alone", .sandbox)
    struct KeyboardTests {
        @Test("IM-2 RM-3 sign-in, accounts, settings and an account by the keyboard alone")
        func keyboard() async throws {
            let sandbox = try #require(SandboxTrait.sandbox)
            try await withApp { @Accessibility app, _ in
                try await app.wait(for: .field, "Server URL")
                try await app.type(keys: sandbox.addresses["immich"]!)
                try await app.press(keys: "Return")
                try await app.wait(for: .field, "Email")
                try await app.type(keys: "ada@example.org")
                try await app.press(keys: "Return")
                try await app.wait(for: .field, "Password")
                try await app.type(keys: sandbox.passwords["ada@example.org"]!)
                try await app.press(keys: "Return")
                try await app.wait(forFocus: "Library")
                try await app.press(keys: "Down", "Return")
                try await app.wait(for: .heading, "No downloads")
                try await app.press(keys: "Escape")
                try await app.wait(forFocus: "Library")
                try await app.press(keys: "Down", "Down", "Return")
                try await app.wait(forFocus: "Sessions")
                try await app.press(keys: "Return")
                try await app.wait(for: .label, "This device")
                try await app.press(keys: "alt+Left")
                try await app.wait(forFocus: "Sessions")
                try await app.press(keys: "Escape")
                try await app.wait(for: .listItem, "This account")
                try await app.press(keys: "F10")
                try await app.wait(forFocus: "Accounts")
                try await app.press(keys: "Return")
                try await app.wait(forFocus: "Add account")
                try await app.press(keys: "Escape")
                try await app.press(keys: "ctrl+comma")
                try await app.wait(for: .field, "Folder")
                try await app.press(keys: "Escape")
                try await app.wait(for: .label, "ada@example.org")
            }
        }
    }
}
