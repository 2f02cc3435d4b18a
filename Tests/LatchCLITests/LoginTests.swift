import CSQLite
import Foundation
import GatewayCore
import GatewayDialects
import GatewayHTTP
import LatchGateway
import TestSupport
import Testing

/// The steps of `latch login` before the sign-in itself.
@Suite("Steps before a sign-in", .blocking, .timeLimit(.minutes(20)))
struct LoginTests {
    private func home() throws -> HomeFixture {
        var home = try HomeFixture()
        home.environment["LATCH_SECRETS_KEY"] = home.folder.file("key")
        return home
    }

    /// A home that is signed in as two people.
    private func homeOfTwo(_ server: TestGateway) async throws -> HomeFixture {
        let home = try home()
        try await server.add("eve@example.org")
        for email in [TestGateway.email, "eve@example.org"] {
            let login = try await home.latch(
                "login", server.url, "-e", email, "--password-stdin", input: TestGateway.password)
            try #require(login.status == 0, "\(login.errors)")
        }
        return home
    }

    @Test(
        "IM-4 IM-18 the menu shows the server's text for its button and takes an e-mail address; another version is a warning"
    )
    func menu() async throws {
        let server = try FaultServer { ScriptedImmich.response($0, button: "Sign in with Authelia", version: (9, 4)) }
        defer { server.close() }
        let home = try home()
        // Its folder is removed with it, and the program needs it to the end.
        defer { withExtendedLifetime(home) {} }
        let terminal = try home.terminal("login", "http://127.0.0.1:\(server.port)")
        try terminal.wait(for: "Number, or your e-mail address [1]:")
        #expect(terminal.screen.contains("2  Sign in with Authelia, in the browser"))
        #expect(terminal.screen.contains("The server's version is v9.4.0") && terminal.screen.contains("Warning:"))
        terminal.type("7\n")
        try terminal.wait(for: "Enter a number from 1 to 2, or the e-mail address to sign in with.")
        terminal.type(" Ada@Example.org\n")
        try terminal.wait(for: "Password of ada@example.org")
        terminal.type("\u{3}")
        #expect(try terminal.end() == 130)
    }

    @Test(
        "IM-3 OX-10 a server is suggested again only after a failed sign-in"
    )
    func discoveredServer() async throws {
        try await TestGateway.with { server in
            let home = try home()
            let failed = try await home.latch(
                "login", server.url, "-e", TestGateway.email, "--password-stdin", input: "wrong horse")
            #expect(failed.status == 77)
            // Another address that is no server is not offered.
            #expect(try await home.latch("login", "http://127.0.0.1:1", "--browser").status == 69)

            let terminal = try home.terminal("login")
            try terminal.wait(for: "Server address [\(server.url)]:")
            terminal.type("\n")
            try terminal.wait(for: "E-mail at 127.0.0.1:\(server.port)")
            terminal.type("\(TestGateway.email)\n")
            try terminal.wait(for: "Password of")
            terminal.type("\(TestGateway.password)\n")
            #expect(try terminal.end() == 0)
            #expect(try await home.latch("logout").status == 0)
            let next = try home.terminal("login")
            try next.wait(for: "Server address [http://localhost:3001]:")
            next.type("\u{3}")
            #expect(try next.end() == 130)
        }
    }

    @Test("TT-10 without an address the one in API_BASE_URL is used, with its path prefix")
    func configured() async throws {
        let server = try FaultServer { _ in .init(status: 404) }
        defer { server.close() }
        var home = try home()
        home.environment["API_BASE_URL"] = "http://127.0.0.1:\(server.port)/team"
        let login = try await home.latch("login", "--browser")
        #expect(login.status == 76 && login.errors.contains("http://127.0.0.1:\(server.port)/team"), "\(login.errors)")
        #expect(server.requests.contains { $0.path == "/team/auth/me" })
        #expect(login.errors.contains("Signing in to http://127.0.0.1:\(server.port)/team, the value of API_BASE_URL."))
        home.environment["API_BASE_URL"] = "no address"
        #expect(try await home.latch("login", "--browser").status == 65)
        // An address on the command line has precedence.
        #expect(try await home.latch("login", "http://127.0.0.1:1", "--browser").status == 69)
    }

    @Test(
        "TT-2 without Chromium or Firefox a sign-in at Time Tracker is refused; the person's own browser opens only on request"
    )
    func ephemeral() async throws {
        let server = try FaultServer { request in
            let (status, body) =
                switch request.path.prefix(while: { $0 != "?" }) {
                case "/auth/me": (401, #"{"error":"Unauthorized"}"#)
                case "/health": (200, #"{"status":"ok","timestamp":"2026-01-01T00:00:00Z"}"#)
                case "/auth/token": (400, #"{"error":"Missing required parameters: code, state, redirect_uri"}"#)
                case "/auth/login": (200, "{}")
                default: (404, #"{"error":"Not Found"}"#)
                }
            return .init(
                status: status, headers: [("Content-Type", "application/json")], body: Array(body.utf8))
        }
        defer { server.close() }
        var home = try home()
        home.environment["PATH"] = home.folder.path
        // A stand-in for the system's xdg-open that records its call.
        let (opener, trace) = (home.folder.file("xdg-open"), home.folder.file("opened"))
        try "#!/bin/sh\necho \"$1\" >'\(trace)'\n".write(toFile: opener, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: opener)

        let url = "http://127.0.0.1:\(server.port)"
        let refused = try await home.latch("login", url, "--browser", "--callback", "scheme")
        #expect(refused.errors.contains("no browser that can be opened with a separate profile"), "\(refused.errors)")
        #expect(refused.errors.contains("--browser-command xdg-open") && refused.status != 0)
        #expect(!FileManager.default.fileExists(atPath: trace))
        #expect(!server.requests.contains { $0.path.hasPrefix("/auth/login") })

        let allowed = try await home.latch(
            "login", url, "--browser", "--browser-command", "xdg-open", "--timeout", "2", "--callback", "scheme")
        #expect(allowed.errors.contains("OAuth login failed: the browser did not return"), "\(allowed.errors)")
        // The opener runs by itself, and need not have run yet when the time is over.
        try await eventually { FileManager.default.fileExists(atPath: trace) }
    }

    @Test("an invalid key file is reported before the sign-in, and one with 64 hexadecimal digits is accepted")
    func keyFile() async throws {
        try await TestGateway.with { server in
            let home = try home()
            let path = home.folder.file("key")
            func put(_ text: String) throws {
                try text.write(toFile: path, atomically: true, encoding: .utf8)
                try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
            }
            try put("too short")
            let login = {
                try await home.latch(
                    "login", server.url, "-e", TestGateway.email, "--password-stdin", input: TestGateway.password)
            }
            let refused = try await login()
            #expect(refused.status == 78 && refused.errors.contains("32 bytes or 64 hexadecimal digits"))
            let sessions = try await server.gateway.stores.sessions.list()
            #expect(sessions.isEmpty)
            try put(String(repeating: "0aF1", count: 16) + "\n")
            let login2 = try await login()
            #expect(login2.status == 0, "\(login2.errors)")
            #expect(try await home.latch("whoami").status == 0)
        }
    }

    @Test(
        "login --json has device, pictures and first sync only for a server with something to sync",
        arguments: [true, false])
    func members(_ isImmich: Bool) async throws {
        try await TestGateway.with { settings in
            settings.immich.isEnabled = isImmich
            settings.onyx.isEnabled = !isImmich
        } _: { server in
            let login = try await home().latch(
                "login", server.url, "-e", TestGateway.email, "--password-stdin", "--json", input: TestGateway.password)
            let members = Set(try HomeFixture.json(login).keys)
            let own: Set = ["deviceId", "pictures", "firstSync"]
            #expect(members == Set(["account", "secrets", "explanation"]).union(isImmich ? own : []), "\(members)")
        }
    }

    @Test("IM-6 login stores person and first sync, whoami shows them without a server, and logout deletes them")
    func storedSync() async throws {
        try await TestGateway.with { settings in
            settings.immich.isEnabled = true
            settings.onyx.isEnabled = false
        } _: { server in
            let home = try home()
            let login = try await home.latch(
                "login", server.url, "-e", TestGateway.email, "--password-stdin", "--json", input: TestGateway.password)
            let sync = try #require(try HomeFixture.json(login)["firstSync"] as? [String: Any])
            #expect(sync["version"] as? String == "v3.1.0" && sync["syncedAt"] is String && sync["marker"] is String)
            let account = try #require(try HomeFixture.json(login)["account"] as? [String: Any])
            let person = try await server.gateway.stores.people.find(TestGateway.email)
            #expect(account["personId"] as? String == person?.id.uuidString.lowercased())
            await server.stop()

            let whoami = try await home.latch("whoami", "--json")

            #expect(whoami.status == 0, "\(whoami.errors)")
            #expect(try HomeFixture.json(whoami)["firstSync"] as? NSDictionary == sync as NSDictionary)
            #expect(try await home.latch("logout").status == 0)
            let marker = try #require(account["personId"] as? String)
            #expect(home.everythingOnDisk().filter { $0.bytes.leaks(marker) }.map(\.path) == [])
        }
    }

    @Test("signing out of every account with a damaged secret store handles all of them, and reports each")
    func damagedStore() async throws {
        try await TestGateway.with { server in
            let home = try await homeOfTwo(server)
            let sealed = home.data + "/secrets.sealed"
            let complete = try #require(FileManager.default.contents(atPath: sealed))
            try complete.prefix(complete.count / 2).write(to: URL(fileURLWithPath: sealed))

            let logout = try await home.latch("logout", "--all", "--json")

            #expect(logout.status == 78, "\(logout.errors)")
            let left = try #require(HomeFixture.json(logout)["signedOut"] as? [[String: Any]])
            #expect(left.map { $0["userEmail"] as? String } == [TestGateway.email, "eve@example.org"])
            for account in left {
                #expect(account["isRevoked"] as? Bool == false && account["isTokenRemoved"] as? Bool == false)
                let problem = account["problem"] as? [String: Any]
                #expect(problem?["code"] as? String == "secret_store_damaged")
                #expect((problem?["message"] as? String)?.contains("removed from this device") == true)
            }
            #expect(try await home.latch("accounts").output.isEmpty)
            #expect(try await server.liveSessions() == 2)

            // Restored, the next start ends both sessions.
            try complete.write(to: URL(fileURLWithPath: sealed))
            _ = try await home.latch("whoami")
            #expect(try await server.liveSessions() == 0)
        }
    }

    @Test("OX-13 signing out of every account continues after one that fails, and reports all")
    func unknownFamily() async throws {
        try await TestGateway.with { server in
            let home = try await homeOfTwo(server)
            // As a later version may leave it.
            var database: OpaquePointer?
            #expect(sqlite3_open(home.data + "/latchstring.db", &database) == SQLITE_OK)
            let change = "UPDATE accounts SET dialect = 'later' WHERE user_email = '\(TestGateway.email)'"
            #expect(sqlite3_exec(database, change, nil, nil, nil) == SQLITE_OK)
            sqlite3_close(database)

            let logout = try await home.latch("logout", "--all", "--json")
            #expect(logout.status == 76, "\(logout.errors)")
            let json = try HomeFixture.json(logout)
            for (name, email) in [("signedOut", "eve@example.org"), ("kept", TestGateway.email)] {
                let accounts = json[name] as? [[String: Any]]
                #expect(accounts?.map { $0["userEmail"] as? String } == [email], "\(name)")
            }
            #expect(try await home.latch("accounts").output.contains(TestGateway.email))
            let again = try await home.latch("logout", "--all")
            #expect(again.status == 76 && again.output.isEmpty && again.errors.contains("Update the program"))
        }
    }

    @Test("an account's number is never used for another account, and the list sends no requests")
    func numbers() async throws {
        try await TestGateway.with { server in
            let home = try await homeOfTwo(server)
            #expect(try await home.latch("logout", "-a", "1").status == 0)
            #expect(try await home.latch("whoami", "-a", "2").output.contains("eve@"))
            let removed = try await home.latch("whoami", "-a", "1")
            #expect(removed.status == 66)
            #expect(removed.errors == "latch: There is no account '1' here.\nRun: latch accounts\n")
            let listed =
                try HomeFixture.json(try await home.latch("accounts", "--json"))["accounts"] as? [[String: Any]]
            #expect(listed?.map { $0["number"] as? Int } == [2])
        }
    }
}
