import BrowserDriver
import Foundation
import HTTPMessages
import TestSupport
import Testing

/// One desktop: a display, a browser, a home in which `latch` takes the links of every scheme, and a sandbox.
struct Desktop {
    /// The real browsers.
    enum Browser: String { case chromium, firefox }

    /// How `latch` comes to open the browser.
    enum Opening: String {
        /// By the command that it is given.
        case command
        /// As the browser that is chosen for the whole desktop, through `xdg-open`.
        case system
        /// With a profile of its own, found by its name.
        case ephemeral
    }

    /// A family of servers, and the browser in which somebody signs in to one.
    struct Row: Sendable, CustomTestStringConvertible {
        /// Its name in the sandbox.
        let name: String
        let browser: Browser
        let opening: Opening
        /// How the browser comes back.
        let callback: String

        init(
            _ name: String, in browser: Browser = .chromium, opened opening: Opening = .command,
            by callback: String = "scheme"
        ) {
            (self.name, self.browser, self.opening, self.callback) = (name, browser, opening, callback)
        }

        var testDescription: String { "\(name), \(browser), \(opening), \(callback)" }
    }

    let row: Row
    let base: SystemFixture
    let screen: Screen
    let sandbox: RunningSandbox
    let server: String
    let browser: any DrivenBrowser

    /// Where a browser of its own has its profile.
    var profiles: [String] {
        let folder = base.folder.file("data/latchstring/browsers")
        return (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    }

    init(_ row: Row) async throws {
        self.row = row
        let first = try SystemFixture()
        screen = try await Screen(first.environment)
        base = SystemFixture(sharing: first, ["DISPLAY": screen.name, "TMPDIR": first.folder.path])
        sandbox = try await RunningSandbox(base)
        server = sandbox.json[row.name]?["url"]?.string ?? ""
        let schemes = ["onyx", "timetracker", "app.immich", "relate-mail"]
        switch row.browser {
        case .chromium:
            browser = try Chromium(schemes: schemes, origins: [server, sandbox.issuer])
        case .firefox: browser = try Firefox(in: base.folder.path, schemes: schemes)
        }
        if row.opening == .system { try chooseBrowser() }
        let registered = try await base.latch("register-schemes")
        guard registered.status == 0 else { throw ChildProcess.Failure(registered.errors) }
    }

    /// Makes the browser the one that the desktop opens pages of the web with.
    private func chooseBrowser() throws {
        let entry = "[Desktop Entry]\nType=Application\nName=Web\nExec=\(browser.command) %u\n"
        for folder in ["data/applications", "config"] {
            try FileManager.default.createDirectory(
                atPath: base.folder.file(folder), withIntermediateDirectories: true)
        }
        try base.folder.write(entry, to: "data/applications/web.desktop")
        try base.folder.write(
            "[Default Applications]\nx-scheme-handler/http=web.desktop\n", to: "config/mimeapps.list")
    }

    /// Starts `latch login` and waits until it has opened the browser.
    func signIn() async throws -> RunningProgram {
        var arguments = ["login", server, "--browser", "--callback", row.callback]
        var environment = base.environment
        switch row.opening {
        case .command: arguments += ["--browser-command", browser.command]
        case .system: break
        // No other browser is to be found.
        case .ephemeral:
            arguments += ["--ephemeral"]
            environment["PATH"] = browser.programs
        }
        let program = try RunningProgram(Products.path("latch"), arguments, environment: environment)
        try await program.line(containing: "redirect_uri=")
        return program
    }

    /// Fills in the provider's form and presses a button.
    func response(_ button: String, password: String? = nil) async throws {
        try await browser.press(
            button, as: sandbox.email, password ?? sandbox.password, at: sandbox.issuer)
    }

    func close() async {
        if row.opening != .ephemeral { await browser.close() }
        await sandbox.end()
        await screen.close()
    }
}
