import DesktopDriver
import Testing

extension WindowTests {
    /// Sign-in by the system's browser, and the keys of a server that gives one to each device.
    @Suite("Browser and keys in the window", .sandbox)
    struct KeysPageTests {
        @Test(
            "OX-2 OX-9 IM-7 TT-3 RM-5 a person signs in in the system's browser at each dialect, after a denial",
            arguments: [
                ("onyx", "Continue with the sandbox"), ("immich", "Continue with the sandbox"),
                ("relate-mail", "Sign in with the browser"), ("timetracker", "Sign in with the browser"),
            ])
        func browser(_ dialect: String, _ button: String) async throws {
            let sandbox = try #require(SandboxTrait.sandbox)
            let folders = try PersonFolders()
            try folders.addBrowser("ada@example.org", sandbox, denies: true)
            try await withApp(folders) { @Accessibility app, folders in
                try await app.type(sandbox.addresses[dialect]!, into: "Server URL")
                try await app.press("Next")
                try await app.press(button)
                try await app.wait(for: .alert, containing: "denied in the browser")
                try folders.addBrowser("ada@example.org", sandbox)
                try await app.press(button)
                try await app.wait(for: .label, "ada@example.org")
                #expect(try await folders.latch("whoami").code == 0)
            }
        }

        @Test("RM-8 the key of this device is replaced, another one is revoked, and revoking the own one signs out")
        func keys() async throws {
            let sandbox = try #require(SandboxTrait.sandbox)
            let folders = try PersonFolders()
            try folders.addBrowser("bob@example.org", sandbox)
            let device = try PersonFolders()
            try device.addBrowser("bob@example.org", sandbox)
            let login = try await device.latch("login", sandbox.addresses["relate-mail"]!, "--browser")
            try #require(login.code == 0, "\(login.errors)")
            try await withApp(folders) { @Accessibility app, folders in
                try await app.type(sandbox.addresses["relate-mail"]!, into: "Server URL")
                try await app.press("Next")
                try await app.press("Sign in with the browser")
                try await app.wait(for: .label, "bob@example.org")
                try await app.open("This account")
                try await app.open("API keys")
                let old = try await app.wait(for: .listItem, containing: "latch-desktop")
                let other = try await app.wait(for: .listItem, containing: "latch on")
                try await app.press("Replace key")
                try await app.wait(for: .label, containing: "'\(old)' is revoked")
                try await app.answer("Cancel")
                try await app.press("Replace key")
                try await app.wait(for: .label, "Replace the key?")
                try await app.answer("Replace key")
                try await app.waitUntilGone(.listItem, old)
                #expect(try await folders.latch("whoami").code == 0)
                try await app.press("Revoke", in: other)
                try await app.wait(for: .label, containing: "uses '\(other)' must sign in again")
                try await app.answer("Revoke")
                try await app.waitUntilGone(.listItem, other)
                #expect(try await device.latch("whoami").code == 77)
                try await app.press("Revoke")
                try await app.wait(for: .label, containing: "You are signed out of")
                try await app.answer("Revoke")
                try await app.wait(for: .button, "Sign in with the browser")
                #expect(try await folders.latch("whoami").code == 77)
            }
        }
    }
}
