import Foundation
import ScriptedProvider
import TestSupport
import Testing

/// Secrets are where SECURITY.md says, and nowhere else.
@Suite(.blocking, .serialized, .inTurn, .timeLimit(.minutes(20))) struct LeakTests {
    private static let ada = "ada@example.org"

    @Test(
        "OX-16 every kind of sign-in, failure, refresh and sign-out leaves secrets only in the designated files"
    )
    func everyAction() async throws {
        let start = Date()
        let scene = try LeakFixture()
        let provider = try await scene.startProvider()
        let gateway = try await scene.startGateway(with: provider)
        try await people(scene)
        try await clients(scene, gateway)
        try await secretService(scene, gateway)
        try await raw(scene, gateway)
        try await scene.throughProvider(gateway)
        try await administration(scene)
        for path in ["/metrics", "/healthz", "/readyz", "/api/auth/type"] {
            try scene.send(OddRequests.line("GET", path), to: gateway)
        }

        // While the gateway runs there are a write-ahead log and shared memory; afterwards there are not.
        let during = scene.findings()
        for file in ["cmdline", "environ"] {
            let bytes = FileManager.default.contents(atPath: "/proc/\(gateway.program.id)/\(file)") ?? Data()
            #expect(scene.search.findings(in: Array(bytes), place: "the gateway's \(file)").isEmpty)
        }
        gateway.program.send(SIGTERM)
        #expect(await gateway.program.waitForExit() == 0)
        scene.keep(gateway.program.output, "the gateway's log")
        await provider.stop()

        #expect(gateway.program.output.contains("Request."), "The log was to tell of requests.")
        #expect(FileManager.default.fileExists(atPath: scene.temporary.file("audit.jsonl")))
        #expect(during.isEmpty)
        #expect(scene.findings().isEmpty)
        #expect(scene.findingsElsewhere(since: start).isEmpty)
        // That it would have been found.
        try scene.temporary.write(scene.secrets.second, to: "planted")
        #expect(scene.findings().count == 1)
    }

    private func people(_ scene: LeakFixture) async throws {
        let secrets = scene.secrets
        let added = try await scene.run(
            "latchd", ["user", "add", Self.ada, "--password-stdin"], input: secrets.password + "\n")
        try #require(added.status == 0, "\(added.errors)")
        let terminal = try PseudoTerminal(
            Products.path("latchd"), ["user", "add", "bob@example.org"], environment: scene.environment("data"))
        try terminal.wait(for: "New password")
        terminal.type(secrets.second + "\n")
        try terminal.wait(for: "Repeat the password")
        terminal.type(secrets.second + "\n")
        try #require(try terminal.end() == 0, "\(terminal.screen)")
        scene.keep(terminal.screen + terminal.visibleArguments, "the terminal of latchd")
        // A password where an option's value stands is refused, and not repeated.
        let refused = try await scene.run("latchd", ["user", "add", "eve@example.org", "--password", secrets.second])
        #expect(refused.status == 64)
    }

    private func clients(_ scene: LeakFixture, _ gateway: RunningGateway) async throws {
        let secrets = scene.secrets
        let login = ["login", gateway.address, "--email", Self.ada, "--password-stdin"]
        try scene.temporary.write("X-Access: \(secrets.header)\n", to: "headers")
        let header = "@" + scene.temporary.file("headers")
        let first = try await scene.run("latch", login + ["--header", header], input: secrets.password + "\n")
        try #require(first.status == 0, "\(first.errors)")
        try FileManager.default.removeItem(atPath: scene.temporary.file("headers"))
        let token = try await Program.run(
            Products.path("latch"), ["token"], environment: scene.environment("data")
        ).output.trimmingCharacters(in: .newlines)
        try #require(token.count == 43)
        scene.know(token: token)
        for arguments in [
            ["whoami"], ["whoami", "--json"], ["request", "GET", "/api/me"], ["request", "GET", "/nowhere", "--json"],
            ["request", "POST", "/api/auth/mobile/refresh", "--help"], ["accounts", "--json"],
            ["doctor", gateway.address],
            ["doctor", gateway.address, "--json"],
        ] { try await scene.run("latch", arguments) }
        for json in [[], ["--json"]] {
            let failed = try await scene.run("latch", login + json, input: secrets.wrong + "\n")
            #expect(failed.status == 77)
        }
        try await scene.run(
            "latch", ["login", gateway.address, "--email", "nobody@example.org", "--password-stdin"],
            input: secrets.password + "\n")
        try atTerminal(scene, gateway)
        try await scene.run("latch", ["logout"])
    }

    /// At a terminal, with a passphrase for the sealed file.
    private func atTerminal(_ scene: LeakFixture, _ gateway: RunningGateway) throws {
        let secrets = scene.secrets
        let environment = scene.environment("data-at-terminal")
        let login = try PseudoTerminal(
            Products.path("latch"), ["login", gateway.address, "--email", Self.ada], environment: environment)
        try login.wait(for: "New passphrase")
        login.type(secrets.passphrase + "\n")
        try login.wait(for: "Repeat the passphrase")
        login.type(secrets.passphrase + "\n")
        try login.wait(for: "Password of")
        login.type(secrets.password + "\n")
        try #require(try login.end() == 0, "\(login.screen)")
        scene.keep(login.screen + login.visibleArguments, "the terminal of latch login")
        for arguments in [["whoami"], ["logout"]] {
            let later = try PseudoTerminal(Products.path("latch"), arguments, environment: environment)
            try later.wait(for: "Passphrase of")
            later.type(secrets.passphrase + "\n")
            try #require(try later.end() == 0, "\(later.screen)")
            scene.keep(later.screen, "the terminal of latch \(arguments[0])")
        }
    }

    /// With a keyring on a bus of its own.
    private func secretService(_ scene: LeakFixture, _ gateway: RunningGateway) async throws {
        var environment = scene.environment("data-with-keyring")
        environment["LATCH_SECRETS"] = "service"
        environment["LATCH"] = try Products.path("latch")
        let script = """
            read -r password; read -r keyring
            exec 3< <(exec dbus-daemon --session --nofork --print-address 2>/dev/null)
            bus=$!; trap 'kill -9 $bus' EXIT
            read -u 3 DBUS_SESSION_BUS_ADDRESS; export DBUS_SESSION_BUS_ADDRESS
            echo -n "$keyring" | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1
            gdbus wait --session --timeout \(SuccessTimeout.seconds) org.freedesktop.secrets
            echo "$password" | "$LATCH" login \(gateway.address) -e \(Self.ada) --password-stdin && "$LATCH" whoami
            echo "status $?"; "$LATCH" token > "$TMPDIR/token"; "$LATCH" logout
            """
        let result = try await Program.run(
            "/bin/bash", ["-c", script], environment: environment,
            input: scene.secrets.password + "\n" + scene.secrets.keyring + "\n")
        try #require(result.output.contains("status 0"), "\(result.output)\(result.errors)")
        let path = scene.temporary.file("token")
        let token = try String(contentsOfFile: path, encoding: .utf8).trimmingCharacters(in: .newlines)
        try FileManager.default.removeItem(atPath: path)
        try #require(token.count == 43)
        scene.know(token: token)
        scene.keep(result.output + result.errors, "latch with a keyring")
    }

    /// Over the wire without `latch`.
    private func raw(_ scene: LeakFixture, _ gateway: RunningGateway) async throws {
        let secrets = scene.secrets
        let token = try scene.token(OddRequests.signIn(Self.ada, secrets.password), from: gateway)
        _ = try scene.token(OddRequests.post("/api/auth/mobile/refresh", "", token: token), from: gateway)
        let registration = #"{"email":"carl@example.org","password":"\#(secrets.registered)"}"#
        let registered = try scene.send(
            OddRequests.post("/api/auth/register", registration, type: "application/json"), to: gateway)
        #expect(registered.hasPrefix("HTTP/1.1 201"))
        for _ in 0..<2 {
            try scene.send(OddRequests.post("/api/auth/register", registration, type: "application/json"), to: gateway)
        }
        for email in [Self.ada, "nobody@example.org", secrets.password, token] {
            try scene.send(OddRequests.signIn(email, secrets.wrong), to: gateway)
        }
        for request in OddRequests.all(token: token, email: Self.ada, password: secrets.password) {
            try scene.send(request, to: gateway)
        }
        try scene.send(OddRequests.post("/api/auth/mobile/logout", "", token: token), to: gateway)
        try scene.send(OddRequests.post("/api/auth/mobile/logout", "", token: token), to: gateway)
    }

    private func administration(_ scene: LeakFixture) async throws {
        for arguments in [
            ["user", "list", "--json"], ["sessions", "list", "--all", "--json"], ["check"], ["check", "--keys"],
        ] {
            try await scene.run("latchd", arguments)
        }
        try await scene.run(
            "latchd", ["user", "passwd", Self.ada, "--password-stdin"], input: scene.secrets.second + "\n")
        try await scene.run("latchd", ["user", "passwd", Self.ada, "--password-stdin"], input: "short\n")
        try await scene.run("latchd", ["sessions", "revoke", "--all"])
        try await scene.run("latchd", ["user", "disable", Self.ada])
        try await scene.run("latchd", ["user", "remove", "bob@example.org"])
    }
}
