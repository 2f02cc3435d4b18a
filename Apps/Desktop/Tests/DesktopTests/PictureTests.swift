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
                let gateway = try await RunningGateway()
                try await withApp(isDark: isDark) { app, folders in
                    try await app.type(gateway.address, into: "Server URL")
                    try await app.press("Next")
                    try await app.wait(for: .heading, "Trust this certificate?")
                    try await photograph(app, "trust", isDark)
                    try await app.press("Cancel")
                    try await app.type("", into: "Server URL")
                    try await photograph(app, "connect", isDark)
                    try await photographDevice(app, isDark)
                    try await app.connect(to: sandbox.addresses["immich"]!)
                    try await photograph(app, "sign-in", isDark)
                    try await app.press("Continue with the sandbox")
                    try await app.press("Use another device")
                    try await app.wait(for: .field, "Address of the last page")
                    try await photograph(app, "browser", isDark)
                    try await app.press("Cancel")
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
                    // The only video of the library has no thumbnail.
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
                    try await app.press(keys: "Escape")
                    try await app.press(keys: "Escape")
                    try await app.press(keys: "Escape")
                    try await app.open("This account")
                    try await app.wait(for: .button, "Sign out")
                    try await photograph(app, "account", isDark)
                    for (page, role, control) in [
                        ("Sessions", Role.label, "This device"), ("Addresses", .button, "Add address"),
                        ("Connection", .button, "Save"),
                    ] {
                        try await app.open(page)
                        try await app.wait(for: role, control)
                        try await photograph(app, page.lowercased(), isDark)
                        try await app.press(keys: "Escape")
                        try await app.wait(for: .button, "Sign out")
                    }
                    try await app.choose(menu: "Logs")
                    try await app.wait(for: .button, "Clear")
                    try await photograph(app, "logs", isDark)
                    #expect(
                        try await folders.latch(
                            "pin", "local", "set", "--pin-stdin", input: "482913\n482913\n"
                        ).code == 0)
                    #expect(try await folders.latch("lock").code == 0)
                    try await app.wait(for: .heading, "Latchstring is locked")
                    try await photograph(app, "lock", isDark)
                }
            }
        }

        /// Begins a sign-in on another device, and returns to the address of the server.
        @Accessibility
        private func photographDevice(_ app: DesktopApp, _ isDark: Bool) async throws {
            let server = try OAuthServer()
            try await app.type(server.address, into: "Server URL")
            try await app.press("Next")
            try await app.press("Sign in on another device")
            try await app.type("tv", into: "Client ID")
            try await app.press("Sign in on another device")
            try await app.wait(for: .image, "QR code")
            try await photograph(app, "device", isDark)
            try await app.press("Cancel")
            try await app.press("Back")
            try await app.wait(for: .field, "Server URL")
            server.stop()
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
