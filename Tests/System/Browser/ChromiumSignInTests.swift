import Foundation
import TestSupport
import Testing

/// The whole way with the real parts: `latch`, the sandbox's gateway and provider, Chromium in a window, and the desktop's
/// own handler of the custom scheme.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct ChromiumSignInTests {
    /// One desktop: a display, Chromium, a home in which `latch` takes the links of `onyx://`, and a sandbox.
    private struct Desktop {
        let house: House
        let screen: Screen
        let sandbox: RunningSandbox
        let chromium: Chromium

        init() async throws {
            let first = try House()
            screen = try await Screen(first.environment)
            house = House(sharing: first, ["DISPLAY": screen.name, "TMPDIR": first.folder.path])
            sandbox = try await RunningSandbox(house)
            chromium = try Chromium(in: house.folder.path, origins: [sandbox.onyx, sandbox.issuer])
            let registered = try await house.latch("register-schemes")
            guard registered.status == 0 else { throw ChildProcess.Failure(registered.errors) }
        }

        /// Starts `latch login` and waits until it has opened the browser.
        func signIn(_ extra: String...) async throws -> RunningProgram {
            let program = try RunningProgram(
                Products.path("latch"),
                ["login", sandbox.onyx, "--browser", "--callback", "scheme", "--browser-command", chromium.command]
                    + extra, environment: house.environment)
            try await program.line(containing: "app_state=")
            return program
        }

        /// What ties one `latch login` to its page.
        func state(of program: RunningProgram) -> String {
            let rest = program.output.split(separator: "app_state=").dropFirst().first ?? ""
            return String(rest.prefix { $0 != "&" })
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
            await chromium.close()
            await sandbox.end()
            await screen.close()
        }
    }

    private func with(_ body: (Desktop) async throws -> Void) async throws {
        let desktop = try await Desktop()
        do {
            try await body(desktop)
        } catch {
            await desktop.close()
            throw error
        }
        await desktop.close()
    }

    @Test("OX-2 OX-4 OX-5 OX-9 a person signs in in Chromium, and the scheme's handler brings the sign-in back")
    func wholeWay() async throws {
        try await with { desktop in
            let login = try await desktop.signIn()
            try await desktop.answer(
                "allow", email: desktop.sandbox.email, password: desktop.sandbox.password, on: desktop.sandbox.issuer)

            #expect(await login.waitForExit() == 0, "\(login.output)")
            #expect(login.output.contains("Signed in to \(desktop.sandbox.onyx) as \(desktop.sandbox.email)."))
            let who = try await desktop.house.latch("whoami")
            #expect(who.status == 0 && who.output.contains("checked with the server now"))
            #expect(!login.output.contains("register-schemes"))
            #expect(!login.output.contains("code=") && !login.output.contains(desktop.sandbox.password))
            let sockets = try FileManager.default.contentsOfDirectory(
                atPath: desktop.house.folder.file("run/latchstring"))
            #expect(sockets.isEmpty)
        }
    }

    @Test("OX-9 a denial in Chromium is told, and nobody is signed in")
    func denied() async throws {
        try await with { desktop in
            let login = try await desktop.signIn()
            try await desktop.answer("deny", email: desktop.sandbox.email, password: "", on: desktop.sandbox.issuer)

            #expect(await login.waitForExit() == 77, "\(login.output)")
            #expect(login.output.contains("denied in the browser"))
            #expect(try await desktop.house.latch("whoami").status == 77)
        }
    }
}
