import DesktopDriver
import Foundation
import Testing

extension WindowTests {
    /// Takes the pictures of the documentation: scripts/app-pictures.
    @Suite("Pictures of the window", .enabled(if: ProcessInfo.processInfo.environment["SCREENSHOTS"] != nil))
    struct PictureTests {
        /// The sizes of the window: a phone, a tablet and a desktop.
        private static let sizes = [(360, 680), (800, 640), (1_400, 900)]

        @Test("IM-2 DL-9 the screens at three widths, light and dark", arguments: [false, true])
        func pictures(isDark: Bool) async throws {
            try await withSandbox { sandbox in
                try await withApp(isDark: isDark) { app, _ in
                    try await app.wait(for: .field, "Server URL")
                    try await photograph(app, "connect", isDark)
                    try await app.connect(to: sandbox.addresses["immich"]!)
                    try await photograph(app, "sign-in", isDark)
                    try await app.type("ada@example.org", into: "Email")
                    try await app.type(sandbox.passwords["ada@example.org"]!, into: "Password")
                    try await app.press("Login")
                    try await app.wait(for: .label, "ada@example.org")
                    try await photograph(app, "main", isDark)
                    try await app.press("Accounts")
                    try await app.wait(for: .button, "Add account")
                    try await photograph(app, "accounts", isDark)
                    try await app.press("Back")
                    try await app.open("Library")
                    // The only film of the library has no thumbnail.
                    try await app.wait(for: .image, containing: "Photo, ")
                    try await app.press("Select all")
                    try await app.wait(for: .label, containing: "8 of 8 selected")
                    try await photograph(app, "library", isDark)
                    try await app.press("Download")
                    try await app.wait(for: .label, containing: "files to download")
                    try await photograph(app, "download", isDark)
                    try await app.press("Download")
                    try await app.wait(for: .button, "Done")
                    try await app.press("Downloads")
                    try await app.wait(for: .heading, "Download complete")
                    try await photograph(app, "downloads", isDark)
                    try await app.press(keys: "ctrl+comma")
                    try await app.wait(for: .button, "Set PIN")
                    try await app.waitUntilGone(.button, "Downloads")
                    try await photograph(app, "settings", isDark)
                }
            }
        }

        @Accessibility
        private func photograph(_ app: DesktopApp, _ name: String, _ isDark: Bool) async throws {
            for (width, height) in Self.sizes {
                let file = "\(name)-\(width)-\(isDark ? "dark" : "light")"
                try await app.resize(width, height)
                try await app.completeScreenshot(file)
            }
        }
    }
}
