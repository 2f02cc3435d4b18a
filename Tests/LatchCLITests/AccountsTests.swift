import Foundation
import GatewayDialects
import LatchGateway
import Synchronization
import TestSupport
import Testing

/// Several accounts, kept answers, passwords, sessions and the log, by the built program.
@Suite("Accounts and their servers", .blocking, .timeLimit(.minutes(20)))
struct AccountsTests {
    private func home() throws -> HomeFixture {
        var home = try HomeFixture()
        home.environment["LATCH_SECRETS_KEY"] = home.folder.file("key")
        return home
    }

    private func login(_ home: HomeFixture, _ server: TestGateway, _ email: String = TestGateway.email) async throws {
        let login = try await home.latch(
            "login", server.url, "-e", email, "--password-stdin", input: TestGateway.password)
        #expect(login.status == 0, "\(login.errors)")
    }

    @Test("RM-9 every command distinguishes two accounts of one server, also in cached responses")
    func twoAccounts() async throws {
        try await TestGateway.with { server in
            let home = try home()
            try await server.add("eve@example.org")
            try await login(home, server)
            try await login(home, server, "eve@example.org")

            for (arguments, email) in [
                ([], "eve@"), (["-a", "ada@example.org"], "ada@"), (["--account", "2"], "eve@"),
            ] {
                #expect(try await home.latch(["whoami"] + arguments).output.contains(email))
                let cached = try await home.latch(["request", "GET", "/api/me", "--cached"] + arguments)
                #expect(cached.status == 0 && cached.output.contains(email), "\(cached.errors)")
                #expect(try await home.latch(["headers", "list"] + arguments).status == 0)
                #expect(try await home.latch(["token"] + arguments).status == 0)
            }
            #expect(try await home.latch("tls", "1").output.contains("ada@example.org"))
            let several = try await home.latch("whoami", "--account", "127.0.0.1:\(server.port)")
            #expect(several.status == 66 && several.errors.contains("matches several"))
            let names = try await home.latch("_accounts").output
            #expect(names == "ada@example.org\neve@example.org\n")

            #expect(try await home.latch("use", "1").status == 0)
            #expect(try await home.latch("request", "GET", "/api/me", "--cached").output.contains("ada@"))
            #expect(try await home.latch("logout", "ada@example.org").status == 0)
            #expect(try await home.latch("request", "GET", "/api/me", "--cached").output.contains("eve@"))
        }
    }

    @Test("RM-9 the account is given by --account or as the argument, and two different ones are an error")
    func optionOrArgument() async throws {
        try await TestGateway.with { server in
            let home = try home()
            try await server.add("eve@example.org")
            try await login(home, server)
            try await login(home, server, "eve@example.org")
            let (ada, eve) = ("ada@example.org", "eve@example.org")

            for arguments in [[ada], ["-a", ada], ["--account", ada], [ada, "--account", ada]] {
                #expect(try await home.latch(["use", eve]).status == 0)
                #expect(try await home.latch(["tls"] + arguments).output.contains("\(ada) at"))
                #expect(try await home.latch(["password", "--password-stdin"] + arguments, input: "").status != 64)
                #expect(try await home.latch(["use"] + arguments).output.contains("\(ada) at"))
                #expect(try await home.latch("whoami").output.contains(ada))
            }
            for command in ["use", "tls", "password", "logout"] {
                let both = try await home.latch(command, ada, "--account", eve)
                #expect(both.status == 64 && both.errors.contains("name one account"), "\(both.errors)")
            }
            let again = try await home.latch(
                "login", "--account", ada, "--password-stdin", input: TestGateway.password)
            #expect(again.status == 0 && again.output.contains("as \(ada)"), "\(again.errors)")
            #expect(try await home.latch("login", server.url, "--account", ada).status == 64)
            #expect(try await home.latch("doctor", "--account", eve).status == 0)
            #expect(try await home.latch("doctor", server.url, "-a", eve).errors.contains("ADDRESS or --account"))
            #expect(try await home.latch("logout", "--all", "-a", eve).status == 64)
            #expect(try await home.latch("logout", "-a", eve).output.contains("as \(eve)"))
            #expect(try await home.latch("accounts").output.contains(ada))
        }
    }

    @Test("without the server a cached response is shown with a warning, and --cached is only for GET")
    func cached() async throws {
        try await TestGateway.with { server in
            let home = try home()
            try await login(home, server)
            let first = try await home.latch("request", "GET", "/api/headers", "--cached")
            #expect(first.status == 0)
            for arguments in [["POST", "/x"], ["GET", "/x", "--data", "1"]] {
                let refused = try await home.latch(["request", "--cached"] + arguments)
                #expect(refused.status == 64 && refused.errors.contains("--cached"))
            }
            await server.stop()

            let stale = try await home.latch("request", "GET", "/api/headers", "--cached")
            #expect(stale.status == 0 && stale.output == first.output)
            #expect(stale.errors.contains("Stored response of") && stale.errors.contains("was not reached"))
            let none = try await home.latch("request", "GET", "/api/other", "--cached")
            #expect(none.status == 69 && none.output.isEmpty)
        }
    }

    @Test("IM-12 after a change on the server's own pages the current password is requested, and whoami shows that")
    func changedElsewhere() async throws {
        let mustChange = Mutex(true)
        let server = try FaultServer { request in
            let demand = mustChange.withLock { $0 }
            let body: String
            switch (request.method, request.path) {
            case ("POST", "/api/auth/login"):
                body =
                    #"{"accessToken":"token-of-ada","userId":"1","userEmail":"ada@example.org","name":"Ada","#
                    + #""profileImagePath":"","isAdmin":false,"shouldChangePassword":\#(demand)}"#
            case ("GET", "/api/users/me"), ("POST", "/api/auth/change-password"):
                body = #"{"id":"1","email":"ada@example.org","name":"Ada","shouldChangePassword":\#(demand)}"#
            default: return ScriptedImmich.response(request)
            }
            return .init(headers: [("Content-Type", "application/json")], body: Array(body.utf8))
        }
        defer { server.close() }
        let home = try home()
        func login() async throws {
            mustChange.withLock { $0 = true }
            let login = try await home.latch(
                "login", server.url(""), "-e", "ada@example.org", "--password-stdin", input: "correct horse")
            #expect(login.status == 0 && login.errors.contains("requires a new password"), "\(login.errors)")
            mustChange.withLock { $0 = false }
        }
        try await login()
        #expect(try await home.latch("password", "--password-stdin", input: "new horse 1\n").status == 65)
        let changed = try await home.latch("password", "--password-stdin", input: "correct horse\nnew horse 1\n")
        #expect(changed.status == 0, "\(changed.errors)")
        #expect(server.requests.contains { $0.path == "/api/auth/change-password" })
        #expect(!server.requests.contains { $0.method == "PUT" })

        try await login()
        let account = try HomeFixture.json(try await home.latch("whoami", "--json"))["account"] as? [String: Any]
        #expect(account?["mustChangePassword"] as? Bool == false)
    }

    @Test("IM-12 a password is changed, a forced one first, and sessions are listed and ended")
    func password() async throws {
        try await TestGateway.with { settings in
            settings.immich.isEnabled = true
            settings.onyx.isEnabled = false
        } _: { server in
            let (one, two) = (try home(), try home())
            for home in [one, two] { try await login(home, server) }

            let list = try await one.latch("sessions", "list", "--json")
            let sessions = try #require(HomeFixture.json(list)["sessions"] as? [[String: Any]])
            #expect(sessions.count == 2 && sessions.filter { $0["isCurrent"] as? Bool == true }.count == 1)
            let own = sessions.first { $0["isCurrent"] as? Bool == true }?["id"] as? String ?? ""
            let other = sessions.first { $0["isCurrent"] as? Bool == false }?["id"] as? String ?? ""
            let refused = try await one.latch("sessions", "revoke", own)
            #expect(refused.status == 65 && refused.errors.contains("latch logout"))
            #expect(try await one.latch("sessions", "revoke", "nothing").status == 66)
            #expect(try await one.latch("sessions", "revoke").status == 64)
            #expect(try await one.latch("sessions", "revoke", String(other.prefix(8))).status == 0)
            #expect(try await two.latch("whoami").status == 77)
            #expect(try await one.latch("sessions", "revoke", "--others").errors.contains("no other session"))

            let wrong = try await one.latch("password", "--password-stdin", input: "wrong\nbrand new horse 8\n")
            #expect(wrong.status == 77 && wrong.errors.contains("Nothing was changed"), "\(wrong.errors)")
            #expect(try await one.latch("password", "--password-stdin", input: "alone\n").status == 65)
            let short = try await one.latch(
                "password", "--password-stdin", input: "\(TestGateway.password)\nshort\n")
            #expect(short.status != 0 && short.errors.contains("needs at least 8 characters"), "\(short.errors)")
            #expect(!short.errors.contains("Too small"))
            let terminal = try one.terminal("password")
            try terminal.wait(for: "Current password of ada@example.org")
            terminal.type("\(TestGateway.password)\n")
            try terminal.wait(for: "New password")
            terminal.type("short\n")
            #expect(try terminal.end() != 0 && !terminal.screen.contains("Repeat the new password"))
            #expect(terminal.screen.contains("needs at least 8 characters. Nothing was changed."), "\(terminal.screen)")
            let changed = try await one.latch(
                "password", "--password-stdin", input: "\(TestGateway.password)\nbrand new horse 8\n")
            #expect(changed.status == 0, "\(changed.errors)")
            #expect(try await one.latch("whoami").status == 0)
            let old = try await two.latch(
                "login", server.url, "-e", TestGateway.email, "--password-stdin", input: TestGateway.password)
            #expect(old.status == 77)
        }
    }

    @Test(
        "IM-12 at a terminal a sign-in continues with a required password change; elsewhere it names the command"
    )
    func forced() async throws {
        try await TestGateway.with { settings in
            settings.immich.isEnabled = true
            settings.onyx.isEnabled = false
        } _: { server in
            try await server.add("eve@example.org", mustChange: true)
            let home = try home()
            let piped = try await home.latch(
                "login", server.url, "-e", "eve@example.org", "--password-stdin", input: TestGateway.password)
            #expect(piped.status == 0 && piped.errors.contains("latch password eve@example.org"), "\(piped.errors)")

            let terminal = try home.terminal("login", server.url, "--email", "eve@example.org")
            try terminal.wait(for: "Password of")
            terminal.type("\(TestGateway.password)\n")
            try terminal.wait(for: "New password")
            #expect(terminal.screen.contains("requires a new password") && terminal.screen.contains("8"))
            terminal.type("brand new horse 8\n")
            try terminal.wait(for: "Repeat the new password")
            terminal.type("brand new horse 8\n")
            #expect(try terminal.end() == 0)
            #expect(!terminal.screen.leaks("brand new horse 8") && !terminal.screen.leaks(TestGateway.password))

            let accounts = try await home.latch("accounts", "--json")
            let account = (try HomeFixture.json(accounts)["accounts"] as? [[String: Any]])?.first
            #expect(account?["mustChangePassword"] as? Bool == false)
        }
    }

    @Test("a server family without passwords or sessions for programs says so in one sentence")
    func notOffered() async throws {
        try await TestGateway.with { server in
            let home = try home()
            try await login(home, server)
            for (arguments, input) in [(["sessions", "list"], ""), (["password", "--password-stdin"], "a\nb\n")] {
                let response = try await home.latch(arguments, input: input)
                #expect(response.status == 1 && response.errors.contains("speaks Onyx, which does not let a program"))
                #expect(response.errors.split(separator: "\n").count == 1)
            }
        }
    }

    @Test("the log shows the actions, can be cleared, and can be turned off")
    func logs() async throws {
        try await TestGateway.with { server in
            var home = try home()
            try await login(home, server)
            _ = try await home.latch("doctor", "http://127.0.0.1:1")
            let text = try await home.latch("logs").output
            #expect(text.contains("127.0.0.1:\(server.port)  sign-in  ok in ") && text.contains("(latch "))
            let json = try HomeFixture.json(try await home.latch("logs", "--json"))
            let entries = try #require(json["entries"] as? [[String: Any]])
            #expect(entries.first?["act"] as? String == "sign-in" && entries.first?["outcome"] as? String == "ok")
            await server.stop()
            _ = try await home.latch("whoami")
            _ = try await home.latch("request", "GET", "/api/me")
            let failed = try await home.latch("logs").output.split(separator: "\n").suffix(2)
            #expect(failed.count == 2 && failed.allSatisfy { $0.contains("  request  connection_refused in ") })
            for (path, bytes) in home.everythingOnDisk() where path.contains("client.log") {
                #expect(!bytes.leaks(TestGateway.password) && !bytes.leaks(TestGateway.email))
                #expect(!String(decoding: bytes, as: UTF8.self).contains("/api"))
            }
            #expect(try await home.latch("logs", "--clear", "--follow").status == 64)
            #expect(try await home.latch("logs", "--clear").status == 0)
            #expect(try await home.latch("logs").output.isEmpty)
            home.environment["LATCH_LOG"] = "off"
            #expect(try await home.latch("logout").status == 0)
            #expect(try await home.latch("logs").errors.contains("LATCH_LOG"))
            home.environment["LATCH_LOG"] = nil
            #expect(try await home.latch("logs").output.isEmpty)
        }
    }

    @Test("the log can be followed while other programs write")
    func follow() async throws {
        try await TestGateway.with { server in
            let home = try home()
            let follower = try home.terminal("logs", "--follow")
            try await login(home, server)
            try follower.wait(for: "sign-in  ok")
            follower.type("\u{3}")
            #expect(try follower.end() == 130)
        }
    }
}
