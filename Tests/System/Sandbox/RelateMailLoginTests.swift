import Foundation
import HTTPMessages
import TestSupport
import Testing

/// `latch login` and `latch keys` against the sandbox's Relate Mail, as people and scripts use them.
@Suite(.blocking, .inTurn, .timeLimit(.minutes(20))) struct RelateMailLoginTests {
    @Test(
        "RM-5 RM-6 RM-8 a person signs in with the browser; a key is listed, replaced, and revoked after a question")
    func endToEnd() async throws {
        try await SandboxFixture.with("relate-mail") { place, server in
            let doctor = try await place.latch("doctor", server, "--json").json()
            #expect(doctor["signsInWithBrowser"] == true && doctor["signsInWithKey"] == true)
            let login = try await place.latch(
                "login", server, "--browser", "--callback", "loopback", "--browser-command", place.browser(), "--json")
            #expect(login.status == 0, "\(login.errors)")
            let account = try login.json()["account"]
            let first = try #require(account?["apiKeyId"]?.string)
            #expect(account?["scopes"]?.array?.count == 6 && account?["dialect"] == "relate-mail")
            #expect(try await place.latch("token", "--json").json()["tokenType"] == "apikey")

            let rotation = try await place.latch("keys", "rotate", "--json").json()
            let second = try #require(rotation["keyId"]?.string)
            #expect(rotation["oldKeyId"]?.string == first && rotation["isOldRevoked"] == true)
            let keys = try await place.latch("keys", "list", "--json").json()["keys"]?.array
            #expect(keys?.count == 1 && keys?[0]["id"]?.string == second && keys?[0]["isCurrent"] == true)
            #expect(try await place.latch("whoami").output.contains("checked with the server now"))

            let unasked = try await place.latch("keys", "revoke", second)
            #expect(unasked.status == 64 && unasked.errors.contains("--yes"))
            for (response, status, text) in [("n", Int32(1), "Nothing was revoked."), ("y", 0, "You are signed out")] {
                let terminal = try PseudoTerminal(
                    Products.path("latch"), ["keys", "revoke", String(second.prefix(8))],
                    environment: place.base.environment)
                try terminal.wait(for: "Revoke it and sign out?")
                terminal.type(response + "\n")
                let end = try terminal.end()
                #expect(end == status && terminal.screen.contains(text), "\(terminal.screen)")
            }
            let log = try await place.latch("logs").output
            for text in ["key-rotation  ok", "key-revocation  ok", "ended  key_revoked"] {
                #expect(log.contains("  \(text)"), "\(log)")
            }
            let after = try await place.latch("whoami")
            #expect(after.status == 77 && after.errors.contains("Run: latch login \(server)\n"), "\(after.errors)")
        }
    }

    @Test("RM-7 a key with minimal scope is created and read from standard input, and a wrong key is not stored")
    func keys() async throws {
        try await SandboxFixture.with("relate-mail") { place, server in
            let login = try await place.latch(
                "login", server, "--browser", "--callback", "loopback", "--browser-command", place.browser(),
                "--least-privilege", "--json")
            let account = try login.json()["account"]
            #expect(account?["scopes"] == ["app"], "\(login.errors)")
            let key = try await place.latch("token").output.trimmingCharacters(in: .newlines)

            let other = try SystemFixture(["LATCH_SECRETS": "file"])
            let wrong = try await other.latch("login", server, "--key-stdin", input: "wrong\n")
            #expect(wrong.status == 77 && wrong.errors.contains("does not accept this key"), "\(wrong.errors)")
            #expect(try await other.latch("accounts", "--json").json()["accounts"] == [])
            let pasted = try await other.latch("login", server, "--key-stdin", "--json", input: key + "\n")
            #expect(pasted.status == 0, "\(pasted.errors)")
            #expect(try pasted.json()["account"]?["apiKeyId"] == account?["apiKeyId"])
            #expect(!pasted.errors.leaks(key) && !login.errors.leaks(key))
            let asked = try SystemFixture(["LATCH_SECRETS": "file", "LATCH_SECRETS_KEY": other.folder.file("key")])
            let terminal = try PseudoTerminal(
                Products.path("latch"), ["login", server, "--key"], environment: asked.environment)
            try terminal.wait(for: "Key for")
            terminal.type(key + "\n")
            try terminal.wait(for: "Signed in to \(server)")
            #expect(try terminal.end() == 0 && !terminal.screen.leaks(key))
            let logout = try await other.latch("logout", "--json").json()
            #expect(logout["signedOut"]?.array?.first?["isRevoked"] == true)
            #expect(try await place.latch("whoami").status == 77)
        }
    }

    @Test("RM-5 a denial and unusable scopes create no account, and servers without keys are reported")
    func refusals() async throws {
        try await SandboxFixture.with("relate-mail") { place, server in
            let denied = try await place.latch(
                "login", server, "--browser", "--callback", "loopback", "--browser-command",
                place.browser("ada", "deny"))
            #expect(denied.status == 77 && denied.errors.contains("denied in the browser"), "\(denied.errors)")
            let useless = try await place.latch(
                "login", server, "--browser", "--browser-command", place.browser(), "--scopes", "smtp,imap")
            #expect(useless.status == 65 && useless.errors.contains("mail programs"))
            let limited = try await place.latch("login", place.sandbox.onyx, "--browser", "--least-privilege")
            #expect(limited.status == 1 && limited.errors.contains("issues no keys"), "\(limited.errors)")
            #expect(try await place.latch("accounts", "--json").json()["accounts"] == [])
        }
    }
}
