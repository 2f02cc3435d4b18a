import BrowserDriver
import Foundation
import HTTPMessages
import TestSupport
import Testing

/// The whole way with the real parts: `latch`, the sandbox's gateway and provider, Chromium or Firefox in a window, and the
/// desktop's own handler of the custom scheme.
@Suite(.blocking, .serialized, .inTurn, .timeLimit(.minutes(20))) struct RealBrowserTests {
    static let rows = [
        Desktop.Row("onyx"), Desktop.Row("timetracker", opened: .ephemeral), Desktop.Row("immich"),
        Desktop.Row("relate-mail"), Desktop.Row("protected", opened: .system),
        Desktop.Row("onyx", in: .firefox, opened: .system), Desktop.Row("immich", in: .firefox),
        Desktop.Row("relate-mail", in: .firefox, by: "loopback"),
        Desktop.Row("timetracker", in: .firefox, opened: .ephemeral), Desktop.Row("protected", in: .firefox),
    ]

    static let own = [Desktop.Browser.chromium, .firefox].map {
        Desktop.Row("timetracker", in: $0, opened: .ephemeral)
    }

    private func with(_ row: Desktop.Row, _ body: (Desktop) async throws -> Void) async throws {
        let desktop = try await Desktop(row)
        try await attempt {
            try await body(desktop)
        } finally: {
            await desktop.close()
        }
    }

    @Test(
        "OX-2 OX-4 OX-5 OX-9 TT-1 TT-3 IM-7 RM-5 RM-6 a person signs in in a real browser, which redirects to the app",
        arguments: rows)
    func endToEnd(_ row: Desktop.Row) async throws {
        try await with(row) { desktop in
            let login = try await desktop.signIn()
            try await desktop.response("allow")

            #expect(await login.waitForExit() == 0, "\(login.output)")
            #expect(login.output.contains("Signed in to \(desktop.server) as \(desktop.sandbox.email)."))
            let whoami = try await desktop.base.latch("whoami")
            #expect(whoami.status == 0 && whoami.output.contains("checked with the server now"))
            #expect(!login.output.contains("register-schemes"))
            #expect(!login.output.contains("code=") && !login.output.leaks(desktop.sandbox.password))
            let folder = desktop.base.folder.file("run/latchstring")
            let sockets = try? FileManager.default.contentsOfDirectory(atPath: folder)
            #expect(sockets?.isEmpty == (desktop.row.callback == "scheme" ? true : nil))
            #expect(desktop.profiles.isEmpty)
        }
    }

    @Test(
        "TT-2 a second sign-in shares no cookies with the first: the provider asks for the password again",
        arguments: own)
    func noCookies(_ row: Desktop.Row) async throws {
        try await with(row) { desktop in
            for _ in 0..<2 {
                let login = try await desktop.signIn()
                try await desktop.response("allow")
                #expect(await login.waitForExit() == 0, "\(login.output)")
                #expect(desktop.profiles.isEmpty)
            }
        }
    }

    @Test(
        "TT-2 closing the window ends the sign-in with a separate error, and the profile is deleted",
        arguments: own)
    func closedWindow(_ row: Desktop.Row) async throws {
        try await with(row) { desktop in
            let login = try await desktop.signIn()
            try await desktop.browser.act(on: desktop.sandbox.issuer, "document.readyState === 'complete'")
            await desktop.browser.close()
            #expect(await login.waitForExit() == 79, "\(login.output)")
            #expect(login.output.contains("OAuth login failed: the browser was closed before the sign-in was complete"))
            #expect(desktop.profiles.isEmpty)
        }
    }

    @Test(
        "TT-2 the profile of a killed latch is deleted by the next one, but not while the browser runs",
        arguments: own)
    func killed(_ row: Desktop.Row) async throws {
        try await with(row) { desktop in
            let login = try await desktop.signIn()
            try await desktop.browser.act(on: desktop.sandbox.issuer, "document.readyState === 'complete'")
            login.send(SIGKILL)
            await login.waitForExit()
            #expect(desktop.profiles.count == 1)
            await desktop.browser.close()
            while !desktop.profiles.isEmpty { _ = try await desktop.base.latch("accounts") }
        }
    }

    @Test(
        "OX-9 TT-9 IM-7 RM-5 a denial in a real browser is reported, and no account is signed in",
        arguments: rows.prefix(6))
    func denied(_ row: Desktop.Row) async throws {
        try await with(row) { desktop in
            let login = try await desktop.signIn()
            try await desktop.response("deny", password: "")

            #expect(await login.waitForExit() == 77, "\(login.output)")
            #expect(login.output.contains("denied in the browser"))
            #expect(try await desktop.base.latch("whoami").status == 77)
        }
    }
}
