import Foundation
import TestSupport
import Testing
import Wire

/// The whole way with the real parts: `latch`, the sandbox's gateway and provider, Chromium in a window, and the desktop's
/// own handler of the custom scheme.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct ChromiumSignInTests {
    /// One desktop: a display, Chromium, a home in which `latch` takes the links of every scheme, and a sandbox.
    private struct Desktop {
        let house: House
        let screen: Screen
        let sandbox: RunningSandbox
        let server: String
        let chromium: Chromium

        let row: Row
        /// Where a browser of its own has its profile.
        var profiles: [String] {
            let folder = house.folder.file("data/latchstring/browsers")
            return (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        }

        init(_ row: Row) async throws {
            self.row = row
            let first = try House()
            screen = try await Screen(first.environment)
            let programs = first.folder.file("programs") + ":" + (first.environment["PATH"] ?? "")
            house = House(
                sharing: first, ["DISPLAY": screen.name, "TMPDIR": first.folder.path, "PATH": programs])
            sandbox = try await RunningSandbox(house)
            server = sandbox.json[row.name]?["url"]?.string ?? ""
            chromium = try Chromium(
                in: house.folder.path, schemes: ["onyx", "timetracker", "app.immich", "relate-mail"],
                origins: [Self.origin(of: server), sandbox.issuer])
            let registered = try await house.latch("register-schemes")
            guard registered.status == 0 else { throw ChildProcess.Failure(registered.errors) }
        }

        /// Scheme, host and port of a web address.
        private static func origin(of address: String) -> String {
            address.split(separator: "/", omittingEmptySubsequences: false).prefix(3).joined(separator: "/")
        }

        /// Starts `latch login` and waits until it has opened the browser.
        func signIn(_ extra: String...) async throws -> RunningProgram {
            let program = try RunningProgram(
                Products.path("latch"),
                ["login", server, "--browser", "--callback", "scheme"]
                    + (row.isEphemeral ? [] : ["--browser-command", chromium.command]) + extra,
                environment: house.environment)
            try await program.line(containing: "redirect_uri=")
            return program
        }

        /// Fills in the provider's form and presses a button.
        func answer(_ button: String, email: String, password: String, on page: String) async throws {
            try await chromium.act(
                on: page,
                """
                (() => {
                    const form = document.forms[0]
                    if (!form || document.readyState !== 'complete') return false
                    form.email.value = '\(email)'
                    form.password.value = '\(password)'
                    form.querySelector('button[value=\(button)]').click()
                    return true
                })()
                """)
        }

        func close() async {
            if !row.isEphemeral { await chromium.close() }
            await sandbox.end()
            await screen.close()
        }
    }

    /// A family of servers that send the browser back by a scheme.
    struct Row: Sendable, CustomTestStringConvertible {
        /// Its name in the sandbox.
        let name: String
        /// Whether it is signed in to in a browser with a profile of its own.
        var isEphemeral = false
        var testDescription: String { name }
    }

    static let rows = [
        Row(name: "onyx"), Row(name: "timetracker", isEphemeral: true), Row(name: "immich"),
        Row(name: "relate-mail"), Row(name: "protected"),
    ]

    private func with(_ row: Row, _ body: (Desktop) async throws -> Void) async throws {
        let desktop = try await Desktop(row)
        do {
            try await body(desktop)
        } catch {
            await desktop.close()
            throw error
        }
        await desktop.close()
    }

    @Test(
        "OX-2 OX-4 OX-5 OX-9 TT-1 TT-3 IM-7 RM-5 RM-6 a person signs in in Chromium, and the scheme's handler brings the sign-in back",
        arguments: rows)
    func wholeWay(_ row: Row) async throws {
        try await with(row) { desktop in
            let login = try await desktop.signIn()
            try await desktop.answer(
                "allow", email: desktop.sandbox.email, password: desktop.sandbox.password, on: desktop.sandbox.issuer)

            #expect(await login.waitForExit() == 0, "\(login.output)")
            #expect(login.output.contains("Signed in to \(desktop.server) as \(desktop.sandbox.email)."))
            let who = try await desktop.house.latch("whoami")
            #expect(who.status == 0 && who.output.contains("checked with the server now"))
            #expect(!login.output.contains("register-schemes"))
            #expect(!login.output.contains("code=") && !login.output.contains(desktop.sandbox.password))
            let sockets = try FileManager.default.contentsOfDirectory(
                atPath: desktop.house.folder.file("run/latchstring"))
            #expect(sockets.isEmpty && desktop.profiles.isEmpty)
        }
    }

    private static let own = Row(name: "timetracker", isEphemeral: true)

    @Test("TT-2 a second sign-in shares no cookie with the first: the provider asks for the password again")
    func noCookies() async throws {
        try await with(Self.own) { desktop in
            for _ in 0..<2 {
                let login = try await desktop.signIn()
                try await desktop.answer(
                    "allow", email: desktop.sandbox.email, password: desktop.sandbox.password,
                    on: desktop.sandbox.issuer)
                #expect(await login.waitForExit() == 0, "\(login.output)")
                #expect(desktop.profiles.isEmpty)
            }
        }
    }

    @Test("TT-2 closing the window ends the sign-in with words of its own, and the profile is gone")
    func closedWindow() async throws {
        try await with(Self.own) { desktop in
            let login = try await desktop.signIn()
            try await desktop.chromium.act(on: desktop.sandbox.issuer, "document.readyState === 'complete'")
            await desktop.chromium.close()
            #expect(await login.waitForExit() == 79, "\(login.output)")
            #expect(login.output.contains("The browser was closed before the sign-in was done"))
            #expect(desktop.profiles.isEmpty)
        }
    }

    @Test("TT-2 a latch that was killed leaves the profile to the next one, which leaves it while the browser runs")
    func killed() async throws {
        try await with(Self.own) { desktop in
            let login = try await desktop.signIn()
            try await desktop.chromium.act(on: desktop.sandbox.issuer, "document.readyState === 'complete'")
            login.send(SIGKILL)
            await login.waitForExit()
            #expect(desktop.profiles.count == 1)
            await desktop.chromium.close()
            while !desktop.profiles.isEmpty { _ = try await desktop.house.latch("accounts") }
        }
    }

    @Test("OX-9 TT-9 IM-7 RM-5 a denial in Chromium is told, and nobody is signed in", arguments: rows)
    func denied(_ row: Row) async throws {
        try await with(row) { desktop in
            let login = try await desktop.signIn()
            try await desktop.answer("deny", email: desktop.sandbox.email, password: "", on: desktop.sandbox.issuer)

            #expect(await login.waitForExit() == 77, "\(login.output)")
            #expect(login.output.contains("denied in the browser"))
            #expect(try await desktop.house.latch("whoami").status == 77)
        }
    }
}
