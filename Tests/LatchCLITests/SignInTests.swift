import Foundation
import GatewayConfiguration
import GatewayCore
import LatchGateway
import TestSupport
import Testing

/// The commands as a person and a script use them, against a real gateway.
@Suite("Signing in and calling the server", .blocking, .timeLimit(.minutes(20)))
struct SignInTests {
    private func signIn(_ home: HomeFixture, _ server: TestGateway, _ email: String = TestGateway.email) async throws {
        let result = try await home.latch(
            "login", server.url, "--email", email, "--password-stdin", input: TestGateway.password + "\n")
        try #require(result.status == 0, "\(result.errors)")
    }

    @Test("OX-11 OX-13 a person signs in, is shown by whoami, calls the API, gets a token and signs out")
    func endToEnd() async throws {
        try await TestGateway.with { server in
            let home = try HomeFixture()

            let login = try await home.latch(
                "login", server.url, "--email", " Ada@Example.org ", "--password-stdin",
                input: TestGateway.password + "\r\nand more\n")
            #expect(login.status == 0)
            #expect(login.output == "Signed in to \(server.url) as ada@example.org.\n")
            #expect(login.errors.contains("sealed file") && login.errors.contains("Onyx"))

            let whoami = try await home.latch("whoami")
            #expect(whoami.status == 0 && whoami.errors.isEmpty)
            #expect(whoami.output.contains("ada@example.org") && whoami.output.contains("checked with the server now"))

            let me = try await home.latch("request", "get", "/api/me")
            #expect(me.status == 0)
            #expect(try HomeFixture.json(me)["email"] as? String == "ada@example.org")

            let token = try await home.latch("token")
            #expect(token.status == 0 && token.errors.isEmpty)
            #expect(token.output.split(separator: "\n").count == 1 && token.output.count > 40)
            #expect(try await server.liveSessions() == 1)

            let logout = try await home.latch("logout")
            #expect(logout.output == "Signed out of \(server.url) as ada@example.org.\n")
            #expect(logout.status == 0 && logout.errors.isEmpty)
            #expect(try await server.liveSessions() == 0)

            let accounts = try await home.latch("accounts")
            #expect(accounts.status == 0 && accounts.output.isEmpty)
            #expect(accounts.errors.contains("You are not signed in to any server"))
        }
    }

    @Test("OX-16 password and token are in no output, no argument and no file except the sealed one")
    func leaksNoSecrets() async throws {
        try await TestGateway.with { server in
            let home = try HomeFixture()
            try await signIn(home, server)
            let token = try await home.latch("token").output.trimmingCharacters(in: .newlines)
            try #require(token.count > 40)

            var output = ""
            for arguments in [["accounts"], ["accounts", "--json"], ["whoami"], ["whoami", "--json"], ["doctor"]] {
                let result = try await home.latch(arguments)
                output += result.output + result.errors
            }
            #expect(!output.leaks(token) && !output.leaks(TestGateway.password))
            #expect(!home.everythingOnDisk().isEmpty)
            for (path, bytes) in home.everythingOnDisk() {
                #expect(!bytes.leaks(token), "\(path) holds the token")
                #expect(!bytes.leaks(TestGateway.password), "\(path) holds the password")
            }
        }
    }

    @Test("signing in again as the same person renews the account and keeps its id")
    func repeatedSignIn() async throws {
        try await TestGateway.with { server in
            let home = try HomeFixture()
            try await signIn(home, server)
            let first = try HomeFixture.json(try await home.latch("whoami", "--json"))
            let token = try await home.latch("token").output

            try await signIn(home, server)

            let second = try HomeFixture.json(try await home.latch("whoami", "--json"))
            let ids = [first, second].map { ($0["account"] as? [String: Any])?["id"] as? String }
            #expect(ids[0] != nil && ids[0] == ids[1])
            #expect(try await home.latch("token").output != token)
            #expect(try await server.liveSessions() == 1)
        }
    }

    @Test("RM-2 one of several accounts is chosen by number, e-mail or id, and an ambiguous word lists them")
    func severalAccounts() async throws {
        try await TestGateway.with { server in
            try await server.add("bea@example.org")
            let home = try HomeFixture()
            try await signIn(home, server)
            try await signIn(home, server, "bea@example.org")

            let listed = try HomeFixture.json(try await home.latch("accounts", "--json"))
            let accounts = try #require(listed["accounts"] as? [[String: Any]])
            #expect(accounts.map { $0["userEmail"] as? String } == ["ada@example.org", "bea@example.org"])
            #expect(accounts.map { $0["isActive"] as? Bool } == [false, true])
            let id = try #require(accounts[0]["id"] as? String)

            for selector in ["1", "ada@example.org", String(id.prefix(8))] {
                let whoami = try await home.latch("whoami", "--account", selector)
                #expect(whoami.status == 0 && whoami.output.contains("ada@example.org"))
            }
            let host = try await home.latch("whoami", "--account", "ada@example.org@127.0.0.1")
            #expect(host.status == 0 && host.output.contains("ada@example.org"), "\(host.errors)")
            let short = try await home.latch("whoami", "--account", "_" + id.prefix(3))
            let three = try await home.latch("use", String(id.prefix(3)))
            #expect(short.status == 66 && !short.errors.contains("four characters"))
            #expect(
                three.status == 66 && three.errors.contains("Use at least four characters of the id."),
                "\(three.errors)")
            let ambiguous = try await home.latch("whoami", "--account", "127.0.0.1:\(server.port)")
            #expect(ambiguous.status == 66)
            #expect(ambiguous.errors.contains("ada@example.org") && ambiguous.errors.contains("bea@example.org"))
            #expect(try await home.latch("use", "nobody@example.org").status == 66)

            #expect(try await home.latch("use", "1").status == 0)
            #expect(try await home.latch("whoami").output.contains("ada@example.org"))
            let names = try await home.latch("_accounts").output
            #expect(names == "ada@example.org\nbea@example.org\n")

            #expect(try await home.latch("logout", "--all").output.split(separator: "\n").count == 2)
            #expect(try await server.liveSessions() == 0)
        }
    }

    @Test("wrong credentials end with 77 and store no account")
    func wrongPassword() async throws {
        try await TestGateway.with { server in
            let home = try HomeFixture()

            let result = try await home.latch(
                "login", server.url, "-e", TestGateway.email, "--password-stdin", input: "wrong horse 12")

            #expect(result.status == 77 && result.output.isEmpty)
            #expect(!result.errors.leaks("wrong horse 12"))
            #expect(try await home.latch("accounts").output.isEmpty)
            for input in ["", "\n"] {
                let none = try await home.latch(
                    "login", server.url, "-e", TestGateway.email, "--password-stdin", input: input)
                #expect([65, 66].contains(none.status))
            }
        }
    }

    @Test("too many attempts end with 75 and say how long to wait")
    func rateLimited() async throws {
        try await TestGateway.with {
            $0.accountLimit = .init(attempts: 1, window: .seconds(900))
        } _: { server in
            let home = try HomeFixture()
            let login = ["login", server.url, "-e", TestGateway.email, "--password-stdin"]
            var last: Program.Result?
            for _ in 0..<3 {
                last = try await home.latch(login, input: "wrong\n")
            }
            #expect(last?.status == 75)
            #expect(last?.errors.contains("Wait ") == true)
        }
    }

    @Test("OX-14 without the server whoami shows the stored data, warns and keeps the session")
    func offline() async throws {
        try await TestGateway.with { server in
            let home = try HomeFixture()
            try await signIn(home, server)
            await server.stop()

            let whoami = try await home.latch("whoami")
            #expect(whoami.status == 0)
            #expect(whoami.output.contains("ada@example.org") && whoami.output.contains("not checked now"))
            #expect(whoami.output.contains("\n  Account  1, id "), "\(whoami.output)")
            #expect(whoami.errors.contains("Warning:") && whoami.errors.contains("latch doctor"))

            let json = try HomeFixture.json(try await home.latch("whoami", "--json"))
            #expect(json["verified"] as? Bool == false)
            #expect((json["problem"] as? [String: Any])?["code"] as? String == "connection_refused")

            #expect(try await home.latch("request", "GET", "/api/me").status == 69)
            #expect(try await home.latch("token").status == 0)

            let logout = try await home.latch("logout")
            #expect(logout.status == 0 && logout.errors.contains("Warning:"))
            #expect(logout.errors.contains("The session stays valid on the server until 20"), "\(logout.errors)")
            #expect(logout.errors.contains("on the server's account page, or its operator"))
            #expect(logout.errors.contains("'latchd sessions revoke'"))
            #expect(try await home.latch("accounts").output.isEmpty)
        }
    }

    @Test("a server without TLS is not reported as a certificate error")
    func noTLS() async throws {
        try await TestGateway.with { server in
            let result = try await HomeFixture().latch(
                "login", "https://127.0.0.1:\(server.port)", "-e", TestGateway.email, "--password-stdin",
                input: TestGateway.password)
            #expect(
                result.status != 0 && result.errors.contains("Could not set up an encrypted connection to"),
                "\(result.errors)")
            #expect(!result.errors.contains("certificate") && result.errors.contains("http://"))
        }
    }

    @Test("TT-7 a session that the server ended ends here with 77 and the command to sign in again")
    func revoked() async throws {
        try await TestGateway.with { server in
            let home = try HomeFixture()
            try await signIn(home, server)
            try await server.revokeAll()

            let first = try await home.latch("request", "GET", "/api/me")
            #expect(first.status == 77 && first.output.isEmpty)
            #expect(first.errors.contains("latch login \(server.url) --email ada@example.org"))

            let second = try await home.latch("whoami", "--json")
            #expect(second.status == 77)
            #expect((try HomeFixture.json(second)["error"] as? [String: Any])?["code"] as? String == "session_ended")
            #expect(try await home.latch("accounts").output.contains("signed out"))

            try await signIn(home, server)
            #expect(try await home.latch("whoami").status == 0)
        }
    }

    @Test("a request passes bodies through unchanged, and distinguishes responses other than 2xx")
    func requests() async throws {
        try await TestGateway.with { server in
            let home = try HomeFixture()
            try await signIn(home, server)
            let file = home.folder.file("bytes")

            let bytes = try await home.shell("$LATCH request GET /api/bytes > \(file)")
            #expect(bytes.status == 0)
            #expect(FileManager.default.contents(atPath: file) == Data(TestGateway.binary))

            let form = try await home.latch("request", "POST", "/api/echo", "--data", "a=b c", "--include")
            #expect(form.output.hasPrefix("HTTP/1.1 200\n") && form.output.hasSuffix("\n\na=b c"))
            #expect(form.output.contains("application/x-www-form-urlencoded"))

            let piped = try await home.latch("request", "POST", "/api/echo", "-d", "@-", "--json", input: "{\"a\":1}")
            let response = try HomeFixture.json(piped)
            #expect(response["status"] as? Int == 200)
            #expect((response["body"] as? [String: Any])?["a"] as? Int == 1)

            let numbers = #"{"id":9007199254740993,"x":12345678901234567890,"d":0.1,"e":1.10,"a":null}"#
            let exact = try await home.latch("request", "POST", "/api/echo", "-d", "@-", "--json", input: numbers)
            #expect(exact.output.contains("\"body\":\(numbers)}"), "Members keep their order, numbers their digits.")

            let teapot = try await home.latch("request", "GET", "/api/teapot?key=hidden")
            #expect(teapot.status == 1 && teapot.output == "short and stout")
            #expect(teapot.errors.hasPrefix("latch: The server responded to GET http://"))
            #expect(teapot.errors.hasSuffix("/api/teapot with HTTP/1.1 418.\n"))

            for path in ["https://evil.example/api/me", "api/me", "/../x", "/a b"] {
                #expect(try await home.latch("request", "GET", path).status == 65)
            }
        }
    }

    @Test("OX-10 doctor reports each step, and has the exit code of login")
    func doctor() async throws {
        try await TestGateway.with { server in
            let home = try HomeFixture()

            let good = try await home.latch("doctor", server.url)
            #expect(good.status == 0 && good.errors.isEmpty)
            for step in ["address", "name", "connection", "trust", "dialect"] { #expect(good.output.contains(step)) }
            #expect(good.output.contains("latch login \(server.url)"))

            let other = try await home.latch("doctor", server.url + "/elsewhere", "--json")
            #expect(other.status == 76)
            let json = try HomeFixture.json(other)
            #expect(json["found"] as? Bool == false)
            #expect((json["steps"] as? [[String: Any]])?.last?["outcome"] as? String == "failed")
            #expect(home.everythingOnDisk().allSatisfy { !$0.path.contains("secrets") })
        }
    }
}
