import Foundation
import HTTPMessages
import TestSupport
import Testing

/// `latch login` with the browser against the sandbox, as people and scripts use it.
@Suite(.blocking, .inTurn, .timeLimit(.minutes(20))) struct BrowserLoginTests {
    @Test("OX-8 OX-9 a server's providers are listed, and one signs in through the browser by loopback")
    func loopback() async throws {
        try await SandboxFixture.with { fixture in
            let doctor = try await fixture.latch("doctor", fixture.sandbox.onyx, "--json").json()
            #expect(doctor["signsInWithBrowser"] == true && doctor["signsInWithPassword"] == true)
            let provider = try #require(doctor["providers"]?.array?.first?["id"]?.string)

            let login = try await fixture.latch(
                "login", fixture.sandbox.onyx, "--provider", provider, "--browser-command", fixture.browser(), "--json")

            #expect(login.status == 0, "\(login.errors)")
            let account = try login.json()["account"]
            #expect(account?["userEmail"]?.string == "ada@example.org")
            #expect(SandboxFixture.address(in: login.errors).contains("mobile_redirect_uri=http%3A%2F%2F127.0.0.1%3A"))
            #expect(try await fixture.latch("whoami").output.contains("checked with the server now"))
        }
    }

    @Test(
        "OX-9 two concurrent sign-ins do not affect each other, by loopback and by the scheme",
        arguments: ["loopback", "scheme"])
    func atOnce(_ way: String) async throws {
        try await SandboxFixture.with { fixture in
            func login(_ name: String) async throws -> Program.Result {
                try await fixture.latch(
                    "login", fixture.sandbox.onyx, "--browser", "--callback", way, "--browser-command",
                    fixture.browser(name))
            }
            async let first = login("ada")
            async let second = login("bob")
            let (ada, bob) = try await (first, second)

            #expect(ada.status == 0 && ada.output.contains("as ada@example.org"), "\(ada.errors)")
            #expect(bob.status == 0 && bob.output.contains("as bob@example.org"), "\(bob.errors)")
            #expect(try await fixture.latch("accounts").output.contains("ada@example.org"))
        }
    }

    @Test("OX-9 a denial, a time-out, an unknown provider and a disabled person have different errors")
    func ends() async throws {
        try await SandboxFixture.with { fixture in
            let cases: [(arguments: [String], status: Int32, code: String)] = [
                (["--browser-command", fixture.browser("ada", "deny")], 77, "sign_in_denied"),
                (["--browser-command", fixture.browser("dora")], 77, "sign_in_denied"),
                (["--browser-command", "true", "--timeout", "1"], 79, "sign_in_timed_out"),
                (["--browser-command", "/nowhere/browser", "--timeout", "1"], 79, "sign_in_timed_out"),
                (["--provider", "nobody", "--browser-command", "true"], 64, "unknown_provider"),
                (["--browser-command", "'open quote"], 65, "invalid_request"),
            ]
            for (arguments, status, code) in cases {
                let login = try await Program.run(
                    "setsid",
                    ["--wait", Products.path("latch"), "login", fixture.sandbox.onyx, "--browser", "--json"]
                        + arguments,
                    environment: fixture.base.environment)
                let error = try login.json()["error"]
                #expect(login.status == status && error?["code"]?.string == code, "\(arguments): \(login.output)")
            }
            #expect(try await fixture.latch("whoami").status == 77)
        }
    }

    @Test("OX-9 Ctrl-C ends the wait with 130 and leaves nothing")
    func interrupted() async throws {
        try await SandboxFixture.with { fixture in
            let terminal = try fixture.terminal(
                "login", fixture.sandbox.onyx, "--browser", "--callback", "scheme", "--browser-command", "sleep 60")
            try terminal.wait(for: "Link")
            terminal.type("half a li")
            terminal.type("\u{3}")

            #expect(try terminal.end() == 130)
            #expect(terminal.screen.contains("Run 'latch register-schemes' once"))
            #expect(terminal.screen.contains("Stopped."))
            let sockets = try FileManager.default.contentsOfDirectory(
                atPath: fixture.base.folder.file("run/latchstring"))
            #expect(sockets.isEmpty)
        }
    }

    @Test(
        "OX-9 without a browser the address is printed and the link pasted; another link is reported",
        arguments: ["scheme", "loopback"])
    func pasted(_ way: String) async throws {
        try await SandboxFixture.with { fixture in
            let terminal = try fixture.terminal("login", fixture.sandbox.onyx, "--no-browser", "--callback", way)
            try terminal.wait(for: "Link: ")
            let link = try await fixture.link(from: SandboxFixture.address(in: terminal.screen))
            terminal.type("onyx://auth/callback?code=stolen&state=other\n")
            try terminal.wait(for: "does not belong to this sign-in")
            terminal.type(link + "\n")

            #expect(try terminal.end() == 0, "\(terminal.screen)")
            #expect(terminal.screen.contains("Signed in to"))
        }
    }

    @Test("OX-9 without a browser a QR code of the address is shown if it fits and is not turned off")
    func qrCode() async throws {
        try await SandboxFixture.with { fixture in
            let address = fixture.sandbox.json["timetracker"]?["url"]?.string ?? ""
            for (option, isShown) in [("--qr", true), ("--no-qr", false)] {
                let terminal = try fixture.terminal("login", address, "--no-browser", option)
                try terminal.wait(for: "Link: ")
                let isThere = terminal.screen.contains("\u{2580}") || terminal.screen.contains("columns")
                #expect(isThere == isShown, "\(terminal.screen)")
                terminal.type("\u{3}")
                #expect(try terminal.end() == 130)
            }
            let small = try PseudoTerminal(
                "/bin/sh",
                [
                    "-c", #"stty rows 12 cols 200; exec "$0" login "$1" --no-browser --secrets-key "$2""#,
                    Products.path("latch"), address, fixture.base.folder.file("key"),
                ], environment: fixture.base.environment)
            try small.wait(for: "Link: ")
            #expect(!small.screen.contains("\u{2580}"), "\(small.screen)")
            #expect(small.screen.contains("needs a terminal with"), "\(small.screen)")
            small.type("\u{3}")
            #expect(try small.end() == 130)
            let piped = try await fixture.latch("login", address, "--no-browser", "--qr", "--timeout", "1")
            #expect(piped.status == 79 && !piped.errors.contains("\u{2580}"))
        }
    }

    @Test("OX-8 a person registers at the terminal, which shows the rule and asks for the password twice")
    func register() async throws {
        try await SandboxFixture.with { fixture in
            let terminal = try fixture.terminal("register", fixture.sandbox.onyx)
            try terminal.wait(for: "E-mail: ")
            terminal.type("Eve@Example.org\n")
            try terminal.wait(for: "New password")
            #expect(terminal.screen.contains("The password needs at least"))
            terminal.type("short\n")
            // What is typed before the second question would be thrown away.
            try terminal.wait(for: "8 characters.\r\nNew password")
            terminal.type("a long enough password 7\n")
            try terminal.wait(for: "Repeat the password")
            terminal.type("a long enough password 7\n")
            #expect(try terminal.end() == 0, "\(terminal.screen)")
            #expect(terminal.screen.contains("signed in as eve@example.org"))
            #expect(!terminal.screen.contains("a long enough password"))
        }
    }

    @Test("OX-9 the link can be read from standard input")
    func piped() async throws {
        try await SandboxFixture.with { fixture in
            let script = """
                mkfifo links said
                latch login '\(fixture.sandbox.onyx)' --no-browser <links 2>said &
                login=$!
                exec 3>links 4<said
                while read -r line <&4; do [[ $line == *app_state=* ]] && break; done
                PERSON_PRINTS=1 \(fixture.browser("bob")) "$line" >&3
                wait $login
                """
            let login = try await Program.run(
                "setsid", ["--wait", "bash", "-c", script], environment: fixture.base.environment,
                directory: fixture.base.folder.path)

            #expect(login.status == 0, "\(login.errors)")
            #expect(login.output.contains("as bob@example.org"))
        }
    }

    @Test("OX-8 OX-9 at a terminal the person chooses among the server's sign-in methods")
    func choice() async throws {
        try await SandboxFixture.with { fixture in
            let terminal = try fixture.terminal("login", fixture.sandbox.onyx, "--browser-command", fixture.browser())
            try terminal.wait(for: "Number, or your e-mail address [1]: ")
            #expect(terminal.screen.contains("1  E-mail and password"))
            #expect(terminal.screen.contains("2  "))
            terminal.type("7\n")
            try terminal.wait(for: "a number from 1 to 2")
            terminal.type("2\n")

            #expect(try terminal.end() == 0, "\(terminal.screen)")
            #expect(terminal.screen.contains("Signed in to"))
        }
    }

    @Test("OX-9 an unexpected link changes nothing, and the error says so")
    func unsolicited() async throws {
        let fixture = try SystemFixture()
        for link in ["onyx://auth/callback?code=stolen&state=other", "onyx://auth/callback", "nonsense"] {
            let response = try await fixture.latch("callback", link)
            #expect(response.status == 66 && response.errors.contains("Nothing was changed"))
            #expect(response.output.isEmpty && !response.errors.contains("stolen"))
        }
        #expect(try await fixture.latch("callback").status == 64)
        #expect(!FileManager.default.fileExists(atPath: fixture.folder.file("data")))
    }
}
