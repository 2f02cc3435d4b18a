import DesktopDriver
import Foundation
import Testing

extension WindowTests {
    /// What other programs of the person, or a person at the locked window, can do.
    @Suite("The locked window", .sandbox)
    struct LockedWindowTests {
        @Test("IM-15 a hidden window shows nothing of the accounts after the lock, and its question has no effect")
        func hidden() async throws {
            try await withAccount { @Accessibility app, folders, _ in
                try await setPIN(folders)
                try await app.press("Accounts")
                try await app.press("Sign out")
                try await app.wait(for: .label, "Sign out?")
                try await app.whileHidden {
                    #expect(try await folders.latch("lock").code == 0)
                    try await app.waitUntilGone(.label, "Sign out?")
                    try await app.waitUntilGone(.label, containing: "ada@example.org")
                    #expect(!app.tree().contains("Ada Lovelace"))
                }
                try await app.wait(for: .heading, "Latchstring is locked")
                #expect(try await folders.latch("unlock", "--pin-stdin", input: "482913\n").code == 0)
                try await app.wait(for: .label, "ada@example.org")
            }
        }

        @Test("IM-15 a dialog for a folder ends with the lock, and the folder stays")
        func chooser() async throws {
            try await withAccount { @Accessibility app, folders, _ in
                try await setPIN(folders)
                try await app.choose(menu: "Settings")
                try await app.press("Choose…")
                try await app.wait(for: .chooser, "Folder")
                #expect(try await folders.latch("lock").code == 0)
                try await app.wait(for: .heading, "Latchstring is locked")
                try await app.waitUntilGone(.chooser, "Folder")
            }
        }

        @Test("IM-16 TT-1 many links and actions of other programs in succession are one message, and the window stays")
        func messages() async throws {
            try await withApp { @Accessibility app, folders in
                try await app.wait(for: .field, "Server URL")
                let programs = try (0..<10).map { number in
                    try ChildProgram(
                        Programs.desktop, ["onyx://auth/callback?code=a&state=\(number)"],
                        environment: folders.environment, folder: folders.root)
                }
                for program in programs { #expect(await program.exitCode() == 0) }
                try await app.wait(for: .alert, containing: "No sign-in is waiting for this link")
                try await app.press("Settings")
                try await app.wait(for: .field, "Proxy")
            }
        }

        private func setPIN(_ folders: PersonFolders) async throws {
            let set = try await folders.latch("pin", "local", "set", "--pin-stdin", input: "482913\n482913\n")
            try #require(set.code == 0, "\(set)")
        }
    }
}
