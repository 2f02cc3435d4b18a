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

        @Test("RM-2 RM-3 IM-11 DL-12 the window and 'latch' act at once, and show the same afterwards")
        func atOnce() async throws {
            try await withAccount { app, folders, sandbox in
                #expect(try await folders.latch("download", "--all").code == 0)
                try await folders.addDownloads(4, ["waiting"])
                try await app.press("Downloads")
                try await app.wait(forSensitive: "Pause")
                async let pauses = repeated(
                    ["downloads", "pause", "copy-1"], ["downloads", "cancel", "copy-2"], folders, codes: [0, 1, 65])
                try await app.press("Pause")
                try await pauses
                try await app.wait(for: .heading, "Paused")
                #expect(try await folders.sql(Self.copies) == "copy-1 paused\ncopy-3 paused\ncopy-4 paused\n")
                try await app.waitUntilGone(.listItem, "IMG_2.jpg")
                try await app.press("Cancel all")
                try await app.wait(for: .label, "Cancel all downloads?")
                async let cancels = repeated(
                    ["downloads", "cancel", "copy-1"], ["downloads", "cancel", "copy-3"], folders, codes: [0, 1, 65])
                try await app.answer("Cancel all")
                try await cancels
                try await app.wait(for: .heading, "Download complete")
                #expect(try await folders.sql(Self.copies) == "")

                try await folders.signIn("bob@example.org", sandbox, "onyx")
                try await app.wait(for: .label, "bob@example.org")
                try await app.press("Accounts")
                try await app.wait(for: .button, containing: "Switch to this account")
                // GTK clicks later, when 'latch' may have switched already and the page may be gone.
                try await app.press(containing: "Switch to this account")
                try await repeated(["use", "ada@example.org"], ["accounts"], folders, codes: [0])
                try await app.wait(for: .label, "ada@example.org")
                #expect(try await folders.sql("SELECT user_email FROM accounts WHERE is_active") == "ada@example.org\n")
                try await app.press("Accounts")
                try await app.press("Sign out of all")
                try await app.wait(for: .label, "Sign out?")
                // GTK clicks later, when 'latch' may have signed out of one account already.
                try await app.press("Sign out")
                try await repeated(["logout"], ["whoami"], folders, codes: [0, 77])
                try await app.wait(for: .field, "Server URL")
                #expect(try await folders.latch("whoami").code == 77)
                #expect(try await folders.sql("SELECT count(*) FROM accounts") == "0\n")
            }
        }

        private static let copies =
            "SELECT id || ' ' || state FROM downloads WHERE id LIKE 'copy-%' ORDER BY position"

        /// Runs two commands of `latch` in turn, while the window does its act.
        private func repeated(
            _ first: [String], _ second: [String], _ folders: PersonFolders, codes: Set<Int32>
        ) async throws {
            for arguments in [first, second, first, second, first, second] {
                let result = try await folders.latch(arguments)
                #expect(codes.contains(result.code), "latch \(arguments): \(result.code) \(result.errors)")
            }
        }
    }
}
