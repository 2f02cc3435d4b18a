import DesktopDriver
import Foundation
import Testing

extension WindowTests {
    /// High contrast, as a person chooses it for the desktop. Takes pictures of it for the documentation too:
    /// scripts/app-pictures.
    @Suite("High contrast", .sandbox)
    struct ContrastTests {
        @Test("IM-2 DL-9 each main page is drawn with high contrast, and fits a phone")
        func pages() async throws {
            let sandbox = try #require(SandboxTrait.sandbox)
            let folders = try PersonFolders()
            try await folders.signIn("ada@example.org", sandbox, "immich")
            var usual = Data()
            try await withApp(folders) { @Accessibility app, _ in
                try await app.wait(for: .label, "ada@example.org")
                try await app.resize(360, 680)
                usual = try await app.completeScreenshot("main-360-light")
            }
            #expect(try await folders.latch("download", "--all").code == 0)
            try await withApp(folders, isHighContrast: true) { @Accessibility app, _ in
                try await app.wait(for: .label, "ada@example.org")
                try await app.resize(360, 680)
                #expect(try await draw("main", app) != usual)
                try await app.open("Library")
                // The only video of the library has no thumbnail.
                try await app.wait(for: .image, containing: "Photo, ")
                try await app.press("Select all")
                try await app.wait(for: .label, "8 of 8 selected")
                try await draw("library", app)
                try await app.press("Back")
                try await app.open("Downloads")
                try await app.wait(for: .heading, "Download complete")
                try await draw("downloads", app)
                try await app.press(keys: "ctrl+comma")
                try await app.wait(for: .button, "Set PIN")
                try app.requireFit(360)
                try await app.choose(menu: "Accounts")
                try await app.wait(for: .button, "Add account")
                try app.requireFit(360)
            }
        }

        /// Takes pictures of a page at 800 and 360 pixels, and returns the second. The window is 360 pixels wide before and
        /// afterwards: a grid keeps cells that a narrower window does not use.
        @Accessibility @discardableResult
        private func draw(_ name: String, _ app: DesktopApp) async throws -> Data {
            let picture = try await app.completeScreenshot("\(name)-360-contrast")
            try app.requireFit(360)
            try await app.resize(800, 640)
            try await app.completeScreenshot("\(name)-800-contrast")
            try await app.resize(360, 680)
            return picture
        }
    }
}
