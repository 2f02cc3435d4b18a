import BrowserDriver
import DesktopDriver
import Foundation
import Testing

extension WindowTests {
    /// The sign-in with the real parts: the window, `xdg-open`, Chromium, the sandbox's provider, and the desktop's program for
    /// links.
    @Suite("Sign-in with a real browser", .sandbox)
    struct RealBrowserTests {
        /// A server, and how its links come to the window.
        struct Row: Sendable, CustomTestStringConvertible {
            let dialect: String
            let program: LinkProgram
            /// Whether the person denies the first sign-in.
            let denies: Bool

            init(_ dialect: String, by program: LinkProgram = .secondStart, denies: Bool = false) {
                (self.dialect, self.program, self.denies) = (dialect, program, denies)
            }

            var testDescription: String { "\(dialect), \(program)" }
            /// The button that opens the browser.
            var button: String {
                dialect == "onyx" || dialect == "immich" ? "Continue with the sandbox" : "Sign in with the browser"
            }
        }

        static let rows = [
            Row("onyx", denies: true), Row("immich"), Row("relate-mail"), Row("relate-mail", by: .bus),
            Row("relate-mail", by: .latch), Row("timetracker", denies: true),
        ]

        @Test(
            "OX-8 OX-9 IM-7 RM-5 TT-1 TT-2 TT-3 a person signs in in Chromium, which returns to the window",
            arguments: rows)
        func endToEnd(_ row: Row) async throws {
            try await withBrowser(row) { app, browser, folders, sandbox in
                if row.denies {
                    try await app.press(row.button)
                    try await browser.press("deny", in: sandbox)
                    try await app.wait(for: .alert, containing: "OAuth login failed")
                }
                try await app.press(row.button)
                try await browser.press("allow", in: sandbox)
                try await app.wait(for: .label, Self.email)
                try await folders.waitForNoProfile()
            }
        }

        @Test("TT-2 Cancel closes the browser, a closed browser ends the sign-in, and each removes its profile")
        func ephemeral() async throws {
            try await withBrowser(Row("timetracker")) { app, browser, folders, sandbox in
                try await app.press("Sign in with the browser")
                try await browser.waitForPage(of: sandbox)
                #expect(folders.browserProfiles.count == 1)
                try await app.press("Cancel")
                try await app.wait(for: .button, "Sign in with the browser")
                try await folders.waitForNoProfile()

                try await app.press("Sign in with the browser")
                try await browser.waitForPage(of: sandbox)
                await browser.close()
                try await app.wait(for: .alert, containing: "OAuth login failed: the browser was closed")
                try await folders.waitForNoProfile()
            }
        }

        @Test("TT-2 the end of the program closes the browser and removes its profile")
        @Accessibility
        func closedWindow() async throws {
            let sandbox = try #require(SandboxTrait.sandbox)
            let (folders, browser) = try await makePerson(Row("timetracker"), sandbox)
            let app = try await DesktopApp.launch(folders)
            try await app.connect(to: sandbox.addresses["timetracker"]!)
            try await app.press("Sign in with the browser")
            try await browser.waitForPage(of: sandbox)
            // The keyboard's focus is in the browser.
            try await app.press("Close")
            #expect(await app.program.exitCode() == 0)
            #expect(folders.browserProfiles.isEmpty && !folders.runsBrowser)
            if folders.runsBrowser { await browser.close() }
        }

        @Test("IM-7 RM-5 if no program is registered for the links of the server, the window says what to do")
        func noProgram() async throws {
            let sandbox = try #require(SandboxTrait.sandbox)
            try await withApp { app, _ in
                try await app.resize(360, 700)
                try await app.connect(to: sandbox.addresses["relate-mail"]!)
                try await app.press("Sign in with the browser")
                try await app.wait(
                    for: .alert, containing: "no program is registered for links that begin with 'relate-mail:'")
                try app.requireFit(360)
                try await app.press("Cancel")
                try await app.wait(for: .button, "Sign in with the browser")
            }
        }

        private static let email = "ada@example.org"

        /// Runs the window at the second step of a sign-in, for a person with Chromium.
        @Accessibility
        private func withBrowser(
            _ row: Row,
            _ body: @Accessibility (DesktopApp, Chromium, PersonFolders, RunningSandbox) async throws -> Void
        ) async throws {
            let sandbox = try #require(SandboxTrait.sandbox)
            let (folders, browser) = try await makePerson(row, sandbox)
            try await withApp(folders) { app, folders in
                do {
                    try await app.connect(to: sandbox.addresses[row.dialect]!)
                    try await body(app, browser, folders, sandbox)
                } catch {
                    await browser.close()
                    throw error
                }
                // While it is open, it takes the keyboard's focus from the window. The ephemeral one has ended.
                if row.dialect != "timetracker" { await browser.close() }
            }
        }

        /// Makes a person with Chromium, and with a program for the links of a server.
        private func makePerson(_ row: Row, _ sandbox: RunningSandbox) async throws -> (PersonFolders, Chromium) {
            let folders = try PersonFolders(desktop: row.program == .bus ? "GNOME" : "")
            let browser = try Chromium(
                schemes: ["app.immich", "relate-mail", "timetracker"],
                origins: [sandbox.addresses[row.dialect]!, sandbox.addresses["issuer"]!])
            try folders.chooseBrowser(browser.command)
            try folders.addProgram("chromium", "exec '\(browser.programs)/chromium' \"$@\"")
            try await folders.install(row.program)
            return (folders, browser)
        }
    }
}

extension Chromium {
    /// Fills in the page of the sandbox's provider and presses a button.
    fileprivate func press(_ button: String, in sandbox: RunningSandbox) async throws {
        let email = "ada@example.org"
        try await press(button, as: email, sandbox.passwords[email]!, at: sandbox.addresses["issuer"]!)
    }

    /// Waits until the page of the sandbox's provider is shown.
    fileprivate func waitForPage(of sandbox: RunningSandbox) async throws {
        try await act(on: sandbox.addresses["issuer"]!, "document.readyState === 'complete'")
    }
}

extension PersonFolders {
    /// Waits until the browser that was opened for one sign-in has ended, and its profile is removed.
    fileprivate func waitForNoProfile() async throws {
        while !browserProfiles.isEmpty { try await Task.sleep(for: .milliseconds(50)) }
        #expect(!runsBrowser)
    }
}
