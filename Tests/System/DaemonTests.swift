import Foundation
import TestSupport
import Testing

/// `latchd` as an operator types it.
@Suite(.blocking, .inTurn, .timeLimit(.minutes(20))) struct DaemonTests {
    private func fixture(configuration: String) throws -> SystemFixture {
        let fixture = try SystemFixture()
        try Data(configuration.utf8).write(to: URL(filePath: fixture.folder.file("latchd.yaml")))
        return fixture
    }

    @Test func `check reports all mistakes at once, with line and remedy, and exits with 78`() async throws {
        let fixture = try fixture(configuration: "lisen: x\nsessions:\n  lifetime: 7\nloops: 0\n")

        let result = try await fixture.latchd("check", "--config", fixture.folder.file("latchd.yaml"))

        let lines = result.errors.split(separator: "\n")
        #expect(result.status == 78)
        #expect(lines.count == 4)
        #expect(lines.first == "latchd: The configuration has 3 mistakes:")
        #expect(result.errors.contains("latchd.yaml, line 1: unknown key 'lisen'; did you mean 'listen'?"))
        #expect(result.errors.contains("latchd.yaml, line 3: sessions.lifetime: '7' is not valid; it must be"))
        #expect(result.errors.contains("latchd.yaml, line 4: loops: '0' is not valid; it must be"))
    }

    @Test func `serve does not start with an invalid configuration, nor if the named file is missing`() async throws {
        let fixture = try fixture(configuration: "loops: 0\n")

        let wrong = try await fixture.latchd("serve", "--config", fixture.folder.file("latchd.yaml"))
        let missing = try await fixture.latchd("serve", "--config", fixture.folder.file("none.yaml"))

        #expect(wrong.status == 78)
        #expect(missing.status == 66)
        #expect(missing.errors.contains("none.yaml': there is no such file."))
    }

    @Test func `check refuses files that serve could not write, and warns if nobody could sign in`() async throws {
        let fixture = try fixture(configuration: "audit_log: /nope/audit.log\nlisten: [\"unix:/nope/latchd.sock\"]\n")
        let refused = try await fixture.latchd("check", "--config", fixture.folder.file("latchd.yaml"))
        #expect(refused.status == 78)
        #expect(
            refused.errors.contains(
                "audit_log: the folder of '/nope/audit.log' does not exist. Create it, or name another file."))
        #expect(refused.errors.contains("listen: the folder of '/nope/latchd.sock' does not exist"))

        let other = try self.fixture(
            configuration: """
                dialects:
                  onyx: {enabled: false}
                  immich: {enabled: true, library: /nope/pictures}
                  timetracker: {enabled: true, prefix: /tt}
                """)
        let warned = try await other.latchd("check", "--config", other.folder.file("latchd.yaml"))
        #expect(warned.status == 0)
        #expect(warned.errors.contains("dialects.immich.library: '/nope/pictures' is not a folder"))
        #expect(warned.errors.contains("dialects.timetracker.enabled is true without an identity provider"))
        let none = try self.fixture(configuration: "dialects: {onyx: {enabled: false}}\n")
        let withoutPeople = try await none.latchd("check", "--config", none.folder.file("latchd.yaml"))
        #expect(withoutPeople.errors.contains("no one can sign in"))
    }

    @Test func `serve prints commands that use its own database and address`() async throws {
        let fixture = try fixture(
            configuration: """
                dialects: {onyx: {prefix: /onyx/api}}
                pages: {enabled: true}
                public_url: https://id.example
                """)
        let program = try RunningProgram(
            try Products.path("latchd"), ["--config", fixture.folder.file("latchd.yaml"), "serve"],
            environment: fixture.environment.merging(["LATCHD_LISTEN": "127.0.0.1:0"]) { $1 })
        try await program.line(containing: "Stop:")
        let lines = program.output.split(separator: "\n")
        #expect(
            lines.contains(
                "Add a person:  latchd --config '\(fixture.folder.file("latchd.yaml"))' user add you@example.org"))
        #expect(lines.contains("Sign in:       latch login https://id.example/onyx"))
        #expect(lines.contains("Account page:  https://id.example/latch/account"))
        program.send(SIGTERM)
        #expect(await program.waitForExit() == 0)
    }

    @Test func `check succeeds without a file, and lists the keys on request`() async throws {
        let fixture = try SystemFixture()
        let check = try await fixture.latchd("check")
        let keys = try await fixture.latchd("check", "--keys")

        #expect(check.status == 0)
        let database = fixture.folder.file("state/latchd/latchd.db")
        #expect(
            check.output == """
                The configuration is valid (no file: defaults and the environment).
                  database     \(database) (will be created)

                """)
        #expect(
            keys.output.contains(
                "LATCHD_SESSIONS_LIFETIME\n    The lifetime of a session after its last use. Default: 7d."))
    }

    @Test func `serve warns about a database that others may read`() async throws {
        let fixture = try SystemFixture()
        let first = try await fixture.startGateway()
        await first.kill()
        let database = fixture.folder.file("state/latchd/latchd.db")
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: database)

        let second = try await fixture.startGateway()
        try await second.program.line(containing: "Stop:")

        #expect(!first.program.output.contains("warning"))
        #expect(second.program.output.contains("chmod 600 '\(database)'"))
    }

    @Test func `serve reports what it did and the next steps`() async throws {
        let fixture = try SystemFixture()
        let gateway = try await fixture.startGateway()
        try await gateway.program.line(containing: "Stop:")

        let screen = gateway.program.output
        #expect(screen.contains(gateway.address))
        #expect(screen.contains(fixture.folder.file("state") + "/latchd/latchd.db (new)"))
        #expect(screen.contains("latchd user add you@example.org"))
        #expect(screen.contains("latch login \(gateway.address)"))
    }

    @Test func `a crash leaves no core file with passwords in it`() async throws {
        let gateway = try await SystemFixture().startGateway()
        let limits = try String(contentsOfFile: "/proc/\(gateway.program.id)/limits", encoding: .utf8)
        let line = try #require(limits.split(separator: "\n").first { $0.hasPrefix("Max core file size") })
        #expect(line.split(separator: " ").suffix(3) == ["0", "0", "bytes"])
    }

    @Test func `a gateway that load balancers ask still accepts requests after a signal, and a second one ends it`()
        async throws
    {
        let gateway = try await SystemFixture(["LATCHD_LIMITS_SHUTDOWN_DELAY": "1h"]).startGateway()
        func response(_ path: String) throws -> String {
            let client = try RawSocket(port: gateway.port)
            try client.write("GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n")
            return try client.readResponse().head
        }
        #expect(try response("/readyz").hasPrefix("HTTP/1.1 200"))

        gateway.program.send(SIGTERM)
        try await gateway.program.line(containing: "Stopping")
        try await eventually { try response("/healthz").contains("\r\nConnection: close") }
        let (ready, alive) = (try response("/readyz"), try response("/healthz"))
        #expect(ready.hasPrefix("HTTP/1.1 503") && ready.contains("\r\nConnection: close"), "\(ready)")
        #expect(alive.hasPrefix("HTTP/1.1 200") && alive.contains("\r\nConnection: close"), "\(alive)")
        gateway.program.send(SIGTERM)
        #expect(await gateway.program.waitForExit() == 128 + SIGTERM)
    }

    @Test func `a gateway that no load balancer asks stops without a delay`() async throws {
        let gateway = try await SystemFixture(["LATCHD_LIMITS_SHUTDOWN_DELAY": "1h"]).startGateway()
        gateway.program.send(SIGTERM)
        #expect(await gateway.program.waitForExit() == 0)
    }

    @Test func `a second signal ends it even while a request is running`() async throws {
        let fixture = try SystemFixture(["LATCHD_LIMITS_DRAIN": "1h", "LATCHD_LIMITS_BODY_TIMEOUT": "1h"])
        let gateway = try await fixture.startGateway()
        let client = try RawSocket(port: gateway.port)
        try client.write(
            "POST /api/auth/mobile/login HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\nExpect: 100-continue\r\n\r\n")
        #expect(String(decoding: try client.readSome(), as: UTF8.self).hasPrefix("HTTP/1.1 100"))

        gateway.program.send(SIGTERM)
        try await gateway.program.line(containing: "Stopping")
        gateway.program.send(SIGTERM)

        #expect(await gateway.program.waitForExit() == 128 + SIGTERM)
    }

    @Test
    func `people are added, listed, changed and removed, and each kind of error has its own exit code`() async throws {
        let fixture = try SystemFixture()
        func add(_ email: String, _ password: String) async throws -> Program.Result {
            try await fixture.latchd(
                "user", "add", email, "--name", "Ada L", "--password-stdin", input: password + "\n")
        }

        #expect(try await add("Ada@Example.org", SystemFixture.password).output == "Added ada@example.org.\n")
        #expect(try await add("ADA@example.org", SystemFixture.password).status == 73)
        #expect(try await add("no address", SystemFixture.password).status == 65)
        #expect(try await add("bob@example.org", "short").status == 65)
        #expect(
            try await fixture.latchd("user", "add", "eve@example.org", "--invite").output
                == "Added eve@example.org, who cannot sign in yet: there is no identity provider. Add one ('providers'), "
                + "or set a password: latchd user passwd eve@example.org\n")
        #expect(try await fixture.latchd("user", "remove", "eve@example.org", "--yes").status == 0)
        let list = try await fixture.latchd("user", "list", "--json")
        #expect(list.output.contains(#""email":"ada@example.org","name":"Ada L","isAdmin":false,"isActive":true"#))
        #expect(try await fixture.latchd("user", "disable", "ada@example.org").status == 0)
        #expect(try await fixture.latchd("user", "list", "--json").output.contains(#""isActive":false"#))
        #expect(try await fixture.latchd("user", "enable", "ada@example.org").status == 0)
        #expect(try await fixture.latchd("user", "disable", "bob@example.org").status == 66)
        #expect(try await fixture.latchd("user", "remove", "ada@example.org").status == 64)
        #expect(try await fixture.latchd("user", "remove", "ada@example.org", "--yes").status == 0)
        #expect(try await fixture.latchd("user", "list", "--emails").output == "")
    }

    @Test(
        arguments: [
            "user list", "user list --emails", "user show ada@example.org", "user disable ada@example.org",
            "sessions list", "sessions list --json", "sessions revoke --all", "keys list", "keys rotate",
            "api-keys list", "database status",
        ])
    func `only a command that adds a person creates a missing file`(command: String) async throws {
        let base = try SystemFixture()
        let path = base.folder.file("missing/latchd.db")
        let fixture = base.with(database: path)

        let result = try await fixture.latchd(command.split(separator: " ").map(String.init))

        #expect(result.status == 66 && result.output == "", "\(result)")
        #expect(
            result.errors.hasSuffix(
                ": there is no file '\(path)'; correct 'database' in the configuration, or create the file with "
                    + "'latchd serve' or 'latchd user add'.\n"), "\(result)")
        #expect(!FileManager.default.fileExists(atPath: base.folder.file("missing")))
        try await fixture.add("ada")
        #expect(FileManager.default.fileExists(atPath: path))
    }

    @Test func `a password on the command line is refused and not repeated`() async throws {
        let fixture = try SystemFixture()
        let result = try await fixture.latchd("user", "add", "a@example.org", "--password=\(SystemFixture.password)")
        #expect(result.status == 64)
        #expect(result.errors.contains("did you mean '--password-stdin'?"))
        #expect(!result.errors.leaks(SystemFixture.password))
    }

    @Test func `revoke requires exactly one of its three options`() async throws {
        let fixture = try SystemFixture()
        try await fixture.add("ada")
        #expect(try await fixture.latchd("sessions", "revoke").status == 64)
        #expect(try await fixture.latchd("sessions", "revoke", "abc", "--all").status == 64)
        #expect(try await fixture.latchd("sessions", "revoke", "abc").status == 66)
        #expect(try await fixture.latchd("sessions", "revoke", "--all").status == 0)
    }

    @Test func `an address that is in use ends with 69`() async throws {
        let fixture = try SystemFixture()
        let gateway = try await fixture.startGateway()
        let second = try SystemFixture(["LATCHD_LISTEN": "127.0.0.1:\(gateway.port)"])
        let result = try await second.latchd("serve")
        #expect(result.status == 69)
        #expect(result.errors.contains("127.0.0.1:\(gateway.port)"))
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func `completions are printed for every shell`(shell: String) async throws {
        let result = try await SystemFixture().latchd("completions", shell)
        #expect(result.status == 0)
        #expect(result.output.contains("user list --emails"))
    }
}
