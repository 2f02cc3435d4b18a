import DesktopDriver
import Testing

extension WindowTests {
    /// The window and `latch` on the same accounts.
    @Suite("Two front ends", .sandbox)
    struct TwoFrontEndsTests {
        @Test("RM-2 RM-3 IM-11 the window follows 'latch use', 'latch login' and 'latch logout'")
        func accounts() async throws {
            try await withAccount { app, folders, sandbox in
                try await folders.signIn("bob@example.org", sandbox, "onyx")
                try await app.wait(for: .label, "bob@example.org")
                #expect(try await folders.latch("use", "ada@example.org").code == 0)
                try await app.wait(for: .label, "ada@example.org")
                try await app.press("Accounts")
                try await app.wait(for: .listItem, "Bob Builder")
                #expect(try await folders.latch("logout", "bob@example.org").code == 0)
                try await app.waitUntilGone(.listItem, "Bob Builder")
                #expect(try await folders.latch("logout").code == 0)
                try await app.wait(for: .field, "Server URL")
            }
        }

        @Test("IM-15 the window follows 'latch pin local set', 'latch lock' and 'latch unlock', also under a question")
        func lock() async throws {
            try await withAccount { app, folders, _ in
                try await app.press("Accounts")
                try await app.press("Sign out")
                try await app.wait(for: .label, "Sign out?")
                let set = try await folders.latch("pin", "local", "set", "--pin-stdin", input: "482913\n482913\n")
                #expect(set.code == 0, "\(set.errors)")
                #expect(try await folders.latch("lock").code == 0)
                try await app.wait(for: .heading, "Latchstring is locked")
                try await app.waitUntilGone(.label, "Sign out?")
                let unlock = try await folders.latch("unlock", "--pin-stdin", input: "482913\n")
                #expect(unlock.code == 0, "\(unlock.errors)")
                try await app.wait(for: .label, "ada@example.org")
                #expect(try await folders.latch("whoami").code == 0)
            }
        }

        @Test("DL-12 the window follows 'latch downloads pause', 'resume', 'cancel' and 'clear'")
        func downloads() async throws {
            try await withAccount { app, folders, _ in
                #expect(try await folders.latch("download", "--all").code == 0)
                try await folders.addDownloads(2, ["waiting"])
                try await app.open("Downloads")
                try await app.wait(for: .heading, "2 items not started")
                #expect(try await folders.latch("downloads", "pause").code == 0)
                try await app.wait(for: .heading, "Paused")
                #expect(try await folders.latch("downloads", "cancel", "copy-1").code == 0)
                try await app.waitUntilGone(.listItem, "IMG_1.jpg")
                #expect(try await folders.latch("downloads", "resume").code == 0)
                try await app.wait(for: .heading, "1 item not started")
                #expect(try await folders.latch("downloads", "clear").code == 0)
                try await app.waitUntilGone(.listItem, "Großes Panorama.jpg")
            }
        }
    }
}
