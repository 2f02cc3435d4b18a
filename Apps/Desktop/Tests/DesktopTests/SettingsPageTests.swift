import DesktopDriver
import Foundation
import Testing

extension WindowTests {
    /// The settings of the device and of downloads, the lock, and the log.
    @Suite("Settings, lock and log in the window", .sandbox)
    struct SettingsPageTests {
        @Test("IM-15 a PIN of the device: two that differ, set, lock, wrong and right PIN; forgotten, it signs out")
        func lock() async throws {
            try await withAccount { app, folders, _ in
                // Without a lock, the entry of the menu shows where it is set.
                try await app.choose(menu: "Lock now")
                try await app.wait(for: .alert, containing: "There is no app lock yet.")
                try await app.setPIN("482913", repeated: "482914")
                try await app.wait(for: .alert, containing: "The two PINs differ")
                try await app.wait(forText: "", in: "New PIN (six digits or more)")
                // The focus is in the field to correct.
                try await app.type(keys: "48")
                try await app.wait(forText: "48", in: "New PIN (six digits or more)")
                try await app.setPIN("482913", repeated: "482913")
                try await app.press("Lock now")
                try await app.wait(for: .heading, "Latchstring is locked")
                #expect(try await folders.latch("whoami").code == 80)
                // Nothing of the account can be reached from the menu.
                try await app.press(keys: "ctrl+comma")
                try await app.choose(menu: "Accounts")
                try await app.type("111111", into: "PIN")
                try await app.press("Unlock")
                try await app.wait(for: .alert, containing: "PIN")
                try await app.wait(forText: "", in: "PIN")
                #expect(!app.tree().contains("ada@example.org"))
                try await app.type("482913", into: "PIN")
                try await app.press("Unlock")
                try await app.wait(for: .label, "ada@example.org")
                try await app.choose(menu: "Lock now")
                try await app.press("Forgot the PIN?")
                try await app.wait(for: .label, "Remove the lock?")
                try await app.press("Cancel")
                try await app.wait(for: .heading, "Latchstring is locked")
                try await app.press("Forgot the PIN?")
                try await app.press("Remove the lock")
                try await app.wait(for: .field, "Password")
                #expect(try await folders.latch("whoami").code == 77)
            }
        }

        @Test("DL-11 a folder that cannot be created is refused, another one and another arrangement are stored")
        func downloads() async throws {
            try await withAccount { app, folders, _ in
                try await app.press(keys: "ctrl+comma")
                let file = folders.root.appending(path: "file")
                try Data().write(to: file)
                try await app.enter(file.path + "/Pictures", into: "Folder")
                try await app.wait(for: .alert, containing: file.path)
                try await app.enter(folders.root.path + "/Camera & <Roll>", into: "Folder")
                try await app.waitUntilGone(.alert, containing: file.path)
                try await app.choose("A folder for each month", in: "Arrange files", down: 2)
                try await app.press(keys: "alt+Left")
                try await app.wait(for: .listItem, "Downloads")
                let download = try await folders.latch("download", "--all")
                #expect(download.code == 0, "\(download.errors)")
                let pictures = folders.root.appending(path: "Camera & <Roll>")
                let names = try FileManager.default.contentsOfDirectory(atPath: pictures.path)
                #expect(names.contains { $0.hasPrefix("20") }, "\(names)")
            }
        }

        @Test("DL-11 IM-15 a folder and a lock that cannot be written are refused with what to do, as is a short PIN")
        func refused() async throws {
            try await withAccount { app, folders, _ in
                try await app.choose(menu: "About Latchstring")
                try await app.wait(for: .label, containing: "downloads their files")
                try await app.close(dialog: "About")
                try await app.press(keys: "ctrl+comma")
                for (folder, remedy) in [("Pictures", "full path"), ("/proc/latchstring", "Choose another")] {
                    try await app.enter(folder, into: "Folder")
                    try await app.wait(for: .alert, containing: remedy)
                    try await app.wait(forMark: "Folder")
                    try await app.wait(forText: folder, in: "Folder")
                }
                try await app.setPIN("12", repeated: "12")
                try await app.wait(for: .alert, containing: "6 digits or more")
                try await app.wait(forMark: "New PIN (six digits or more)")
                let file = folders.root.appending(path: "data/latchstring/lock.json.new")
                try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
                try await app.setPIN("482913", repeated: "482913")
                try await app.wait(for: .alert, containing: "lock.json")
                #expect(!app.isVisible(.button, "Lock now"))
                try FileManager.default.removeItem(at: file)
                try await app.setPIN("482913", repeated: "482913")
                try await app.wait(for: .button, "Lock now")
                #expect(app.names(of: .alert).count == 1)
            }
        }

        @Test("IM-2 IM-16 the log has failures and successes before a sign-in, and Clear removes them")
        func log() async throws {
            let sandbox = try #require(SandboxTrait.sandbox)
            try await withApp { @Accessibility app, _ in
                try await app.press("Logs")
                try await app.wait(for: .label, "No operations with servers were recorded.")
                try await app.press("Back")
                try await app.connect(to: sandbox.addresses["immich"]!)
                try await app.type("ada@example.org", into: "Email")
                try await app.type("not the right one", into: "Password")
                try await app.press("Login")
                try await app.wait(for: .alert, containing: "Login failed")
                try await app.choose(menu: "Logs")
                try await app.wait(for: .listItem, containing: "sign")
                #expect(!app.tree().contains("not the right one"))
                try await app.press("Clear")
                try await app.wait(for: .label, "No operations with servers were recorded.")
                try await app.press(keys: "Escape")
                try await app.wait(for: .field, "Email")
            }
        }

        @Test("IM-16 the file of a certificate is chosen in a dialog, by the keyboard")
        func certificateFile() async throws {
            try await withApp { @Accessibility app, folders in
                let file = folders.root.appending(path: "ca.pem")
                try Data("-----BEGIN CERTIFICATE-----\n".utf8).write(to: file)
                try await app.press("Settings")
                try await app.wait(for: .button, "Choose file…")
                try await app.press("Choose file…")
                try await app.enter(file.path, inDialog: "Certificate authorities")
                try await app.wait(forText: file.path, in: "Certificate authorities")
            }
        }

        @Test(
            "IM-2 the settings before a sign-in: a bad proxy is refused, one that does not exist is reported and kept")
        func connection() async throws {
            let sandbox = try #require(SandboxTrait.sandbox)
            try await withApp { @Accessibility app, _ in
                try await app.press("Settings")
                try await app.type("not a proxy", into: "Proxy")
                try await app.press("Save")
                try await app.wait(for: .alert, containing: "Write it as 'http://host:port'")
                try await app.type("http://127.0.0.1:1", into: "Proxy")
                try await app.press("Save")
                try await app.type(sandbox.addresses["immich"]!, into: "Server URL")
                try await app.press("Next")
                try await app.wait(for: .alert, containing: "127.0.0.1:1")
                try await app.press("Settings")
                try await app.wait(forText: "http://127.0.0.1:1", in: "Proxy")
                try await app.type("", into: "Proxy")
                try await app.press("Save")
                try await app.press("Next")
                try await app.wait(for: .field, "Email")
            }
        }
    }
}

@Accessibility
extension DesktopApp {
    fileprivate func setPIN(_ pin: String, repeated: String) async throws {
        try await type(pin, into: "New PIN (six digits or more)")
        try await type(repeated, into: "Repeat the new PIN")
        try await press("Set PIN")
    }
}
