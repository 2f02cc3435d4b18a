import Foundation
import TestSupport
import Testing

/// What happens at a terminal, with a person typing.
@Suite("Terminal", .blocking, .serialized, .timeLimit(.minutes(20)))
struct TerminalTests {
    @Test(
        "IM-2 OX-16 the program asks for the server, then e-mail and password for that host, without echoing it")
    func noEcho() async throws {
        try await TestGateway.with { server in
            var home = try HomeFixture()
            home.environment["LATCH_SECRETS_KEY"] = home.folder.file("key")
            let terminal = try home.terminal("login")

            try terminal.wait(for: "Server address [http://localhost:3001]:")
            #expect(terminal.echoes)
            terminal.type("\(server.url)\n")
            try terminal.wait(for: "E-mail at 127.0.0.1")
            terminal.type("\(TestGateway.email)\n")
            try terminal.wait(for: "Password of")
            #expect(!terminal.echoes)
            #expect(!terminal.visibleArguments.leaks(TestGateway.password))
            terminal.type("\(TestGateway.password)\n")

            #expect(try terminal.end() == 0)
            #expect(terminal.echoes)
            #expect(terminal.screen.contains("Signed in to"))
            #expect(!terminal.screen.leaks(TestGateway.password))
        }
    }

    @Test("Ctrl-C at the password ends with 130, restores the terminal and leaves no account", arguments: [1, 2])
    func interrupted(_ times: Int) async throws {
        try await TestGateway.with { server in
            var home = try HomeFixture()
            home.environment["LATCH_SECRETS_KEY"] = home.folder.file("key")
            let terminal = try home.terminal("login", server.url, "--email", TestGateway.email)

            try terminal.wait(for: "Password of")
            terminal.type("half a pass")
            terminal.type(String(repeating: "\u{3}", count: times))

            #expect(try terminal.end() == 130)
            #expect(terminal.echoes)
            #expect(!terminal.screen.contains("half a pass"))
            #expect(try await home.latch("accounts").output.isEmpty)
            #expect(try await server.liveSessions() == 0)
        }
    }

    @Test("SIGTERM at the password restores the terminal too")
    func terminated() async throws {
        try await TestGateway.with { server in
            var home = try HomeFixture()
            home.environment["LATCH_SECRETS_KEY"] = home.folder.file("key")
            let terminal = try home.terminal("login", server.url, "--email", TestGateway.email)

            try terminal.wait(for: "Password of")
            kill(terminal.process, SIGTERM)

            #expect(try terminal.end() == 128 + SIGTERM)
            #expect(terminal.echoes)
        }
    }

    @Test("Ctrl-C ends the program at once while the server does not respond")
    func interruptedRequest() async throws {
        let silent = try SilentServer()
        let home = try HomeFixture()
        let terminal = try home.terminal("doctor", "http://127.0.0.1:\(silent.port)")

        await BackgroundThread.run { silent.waitForClient() }
        terminal.type("\u{3}")

        #expect(try terminal.end() == 130)
    }

    @Test("a passphrase locks the sealed file, and a wrong one is refused")
    func passphrase() async throws {
        try await TestGateway.with { server in
            let home = try HomeFixture()
            let login = try home.terminal("login", server.url, "--email", TestGateway.email)
            try login.wait(for: "New passphrase for")
            #expect(!login.echoes)
            login.type("open sesame 12\n")
            try login.wait(for: "Repeat the passphrase")
            login.type("open sesame 12\n")
            try login.wait(for: "Password of")
            login.type("\(TestGateway.password)\n")
            #expect(try login.end() == 0)

            let whoami = try home.terminal("whoami")
            try whoami.wait(for: "Passphrase of")
            whoami.type("open sesame 12\n")
            #expect(try whoami.end() == 0)
            #expect(whoami.screen.contains("checked with the server now") && !whoami.screen.leaks("open sesame 12"))

            let wrong = try home.terminal("token")
            try wrong.wait(for: "Passphrase of")
            wrong.type("close sesame\n")
            #expect(try wrong.end() == 78)

            let token = try await home.latch("token")
            #expect(token.status == 64 && token.errors.contains("--secrets-key"))
        }
    }

    @Test("a token on a terminal is printed with a warning, and emphasis respects NO_COLOR")
    func emphasis() async throws {
        try await TestGateway.with { server in
            var home = try HomeFixture()
            home.environment["LATCH_SECRETS_KEY"] = home.folder.file("key")
            _ = try await home.latch(
                "login", server.url, "-e", TestGateway.email, "--password-stdin", input: TestGateway.password)

            let token = try home.terminal("token")
            #expect(try token.end() == 0)
            #expect(token.screen.contains("Warning:") && token.screen.contains("\u{1B}["))

            home.environment["NO_COLOR"] = "1"
            let plain = try home.terminal("whoami")
            #expect(try plain.end() == 0)
            #expect(plain.screen.contains("ada@example.org") && !plain.screen.contains("\u{1B}["))
        }
    }

    @Test("binary data is not written to a terminal")
    func binary() async throws {
        try await TestGateway.with { server in
            var home = try HomeFixture()
            home.environment["LATCH_SECRETS_KEY"] = home.folder.file("key")
            _ = try await home.latch(
                "login", server.url, "-e", TestGateway.email, "--password-stdin", input: TestGateway.password)

            let terminal = try home.terminal("request", "GET", "/api/bytes")

            #expect(try terminal.end() == 0)
            #expect(terminal.screen.contains("7 bytes of binary"))
        }
    }
}
