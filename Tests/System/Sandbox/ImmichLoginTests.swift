import Foundation
import HTTPMessages
import TestSupport
import Testing

/// `latch login` against the sandbox's Immich: a real gateway with that dialect, and a real provider behind it.
@Suite(.blocking, .inTurn, .timeLimit(.minutes(20))) struct ImmichLoginTests {
    @Test(
        "IM-7 IM-9 IM-10 IM-11 a person signs in with the browser, lists and ends sessions, and signs out"
    )
    func endToEnd() async throws {
        try await SandboxFixture.with("immich") { place, server in
            let login = try await place.latch(
                "login", server, "--browser", "--callback", "scheme", "--browser-command", place.browser(), "--json")
            #expect(login.status == 0, "\(login.errors)")
            let account = try login.json()["account"]
            #expect(account?["dialect"] == "immich" && account?["userEmail"] == "ada@example.org")
            #expect(try await place.latch("whoami").output.contains("checked with the server now"))
            let token = try await place.latch("token").output.trimmingCharacters(in: .newlines)
            #expect(!token.isEmpty && !login.errors.leaks(token) && !login.output.leaks(token))

            let other = try SystemFixture(["LATCH_SECRETS": "file"])
            let second = try await other.latch(
                "login", server, "--email", "ada@example.org", "--password-stdin",
                input: "ada-plays-in-the-sandbox\n")
            #expect(second.status == 0, "\(second.errors)")
            let sessions = try await place.latch("sessions", "list", "--json").json()["sessions"]?.array ?? []
            #expect(sessions.count == 2 && sessions.count { $0["isCurrent"] == true } == 1)
            #expect(try await place.latch("sessions", "revoke", "--others").status == 0)
            let ended = try await other.latch("whoami")
            #expect(ended.status == 77, "\(ended.errors)")
            #expect(try await place.latch("whoami").output.contains("checked with the server now"))

            let logout = try await place.latch("logout", "--json").json()
            #expect(logout["signedOut"]?.array?.first?["isRevoked"] == true)
            #expect(try await place.latch("whoami").status == 77)
        }
    }

    @Test(
        "IM-16 a denial, a callback with another state and a redirect that is not allowed create no account"
    )
    func refusals() async throws {
        try await SandboxFixture.with("immich") { place, server in
            let denied = try await place.latch(
                "login", server, "--browser", "--callback", "scheme", "--browser-command",
                place.browser("ada", "deny"))
            #expect(denied.status == 77 && denied.errors.contains("denied in the browser"), "\(denied.errors)")
            let forged = try await place.latch(
                "login", server, "--browser", "--callback", "scheme", "--timeout", "2", "--browser-command",
                #"sh -c 'latch callback "app.immich:///oauth-callback?code=x&state=y"'"#)
            #expect(forged.status != 0, "\(forged.errors)")
            // The gateway lets Immich's own redirect through and no port.
            let port = try await place.latch(
                "login", server, "--browser", "--callback", "loopback", "--browser-command", place.browser())
            #expect(port.status == 1 && port.errors.contains("try another --callback"), "\(port.errors)")
            #expect(try await place.latch("accounts", "--json").json()["accounts"] == [])
        }
    }
}
