import Foundation
import TestSupport
import Testing

/// The lock of the device, with the built program, real secret stores and the kernel's keyring.
@Suite("Lock", .blocking, .timeLimit(.minutes(20)))
struct LockTests {
    private static let pin = "274951"

    @Test("IM-15 a locked device exits with 80 without a terminal, and one unlock serves all programs until the lock")
    func commands() async throws {
        try await TestGateway.with { server in
            let home = try await signedIn(server)
            let set = try await home.latch("pin", "local", "set", "--pin-stdin", input: Self.pin + "\n")
            #expect(set.status == 0 && set.output.contains("It is unlocked."))
            #expect(try await home.latch("token").status == 0)
            #expect(try await home.latch("lock").output == "This device is locked.\n")

            let refused = try await home.latch("token")
            #expect(refused.status == 80 && refused.output.isEmpty && refused.errors.contains("latch unlock"))
            #expect(try await home.latch("accounts").status == 0)
            let wrong = try await home.latch("unlock", "--pin-stdin", input: "000000\n")
            #expect(wrong.status == 77 && wrong.errors.contains("9 tries are left"))
            #expect(try await home.latch("unlock", "--pin-stdin", input: Self.pin).status == 0)
            #expect(try await home.latch("token").status == 0)

            let changed = try await home.latch(
                "pin", "local", "change", "--pin-stdin", input: "\(Self.pin)\nlonger text\n")
            #expect(changed.status == 0)
            _ = try await home.latch("lock")
            #expect(try await home.latch("unlock", "--pin-stdin", input: Self.pin).status == 77)
            #expect(try await home.latch("pin", "local", "remove", "--pin-stdin", input: "longer text").status == 0)
            #expect(try await home.latch("token").status == 0)
        }
    }

    @Test("IM-15 a command asks for the PIN at a terminal without echo, and the PIN is in no file")
    func terminal() async throws {
        try await TestGateway.with { server in
            let home = try await signedIn(server)
            _ = try await home.latch("pin", "local", "set", "--pin-stdin", input: "a text as PIN")
            _ = try await home.latch("lock")
            let terminal = try home.terminal("whoami")
            try terminal.wait(for: "PIN of this device")
            #expect(!terminal.echoes)
            terminal.type("a text as PIN\n")
            #expect(try terminal.end() == 0)
            #expect(!terminal.screen.leaks("a text as PIN"))
            #expect(home.everythingOnDisk().allSatisfy { !$0.bytes.leaks("a text as PIN") })
        }
    }

    @Test("IM-15 eight programs that guess at once get three tries together, and a killed one keeps its try counted")
    func guessing() async throws {
        let home = try await lockedHome()
        let began = ContinuousClock.now
        let statuses = try await withThrowingTaskGroup(of: Int32.self) { group in
            for number in 0..<8 {
                group.addTask { try await home.latch("unlock", "--pin-stdin", input: "00000\(number)").status }
            }
            return try await group.reduce(into: [Int32]()) { $0.append($1) }
        }
        // A slow machine reaches the end of a pause, after which one more try is possible.
        let tries = statuses.count { $0 == 77 }
        #expect(tries >= 3 && tries <= 3 + Self.endedPauses(since: began))
        #expect(statuses.count { $0 == 75 } == 8 - tries)
        let status = try await home.latch("unlock", "--pin-stdin", input: Self.pin).status
        #expect(status == 75 || tries < 3 + Self.endedPauses(since: began))

        let other = try await lockedHome()
        let guess = try RunningProgram(
            "/bin/bash", ["-c", "exec $LATCH unlock --pin-stdin <<< 111111"], environment: other.environment)
        let record = other.data + "/lock.json"
        try await eventually {
            FileManager.default.contents(atPath: record).map { String(decoding: $0, as: UTF8.self) }?
                .contains("\"failures\":1") == true
        }
        guess.send(SIGKILL)
        await guess.waitForExit()
        let next = try await other.latch("unlock", "--pin-stdin", input: "000000")
        #expect(next.errors.contains("8 tries are left"))
    }

    /// How many of the pauses after the third and each further wrong try can have ended since then.
    private static func endedPauses(since began: ContinuousClock.Instant) -> Int {
        let elapsed = ContinuousClock.now - began
        // The sums of pauses of 15, 30, 60, 120 and 300 s.
        return [15, 45, 105, 225, 525].count { elapsed >= .seconds($0) }
    }

    @Test("IM-15 with the Secret Service the lock works in the same way")
    func secretService() async throws {
        try await TestGateway.with { server in
            var home = try HomeFixture()
            home.environment["LATCH_SECRETS"] = nil
            let script = """
                echo '\(TestGateway.password)' | $LATCH login \(server.url) -e \(TestGateway.email) --password-stdin
                token=$($LATCH token)
                echo \(Self.pin) | $LATCH pin local set --pin-stdin; echo "set $?"
                $LATCH lock; $LATCH token; echo "token $?"
                echo \(Self.pin) | $LATCH unlock --pin-stdin; echo "unlock $?"
                test "$($LATCH token)" = "$token"; echo "same $?"
                """
            let result = try await home.shell(SecretServiceTests.start + script)
            #expect(result.output.contains("set 0") && result.output.contains("token 80"))
            #expect(result.output.contains("unlock 0") && result.output.contains("same 0"))
        }
    }

    @Test("IM-15 a command on a locked device uses the system's authentication, and the PIN where that fails")
    func systemAuthentication() async throws {
        try await TestGateway.with { server in
            let desktop = try await MockDesktop(.polkit)
            try await desktop.setPolkit(.allows)
            var home = try HomeFixture()
            let file = try await home.latch("pin", "local", "set", "--system-authentication")
            #expect(file.status == 78 && file.errors.contains("sealed file"))
            try await expectRefusals(try HomeFixture())

            home.environment["LATCH_SECRETS"] = nil
            home.environment["DBUS_SYSTEM_BUS_ADDRESS"] = desktop.environment["DBUS_SYSTEM_BUS_ADDRESS"]
            let set = """
                echo '\(TestGateway.password)' | $LATCH login \(server.url) -e \(TestGateway.email) --password-stdin
                $LATCH pin local set --system-authentication --lock-after 600; echo "set $?"
                $LATCH lock; $LATCH token; echo "token $?"; echo 1 | $LATCH unlock --pin-stdin; echo "unlock $?"
                echo 1 | $LATCH pin local remove --pin-stdin; echo "remove $?"; $LATCH pin local change --downloads stop; echo "change $?"
                $LATCH lock; echo \(Self.pin) | $LATCH pin local set --pin-stdin; echo "add $?"
                $LATCH pin local status --json; $LATCH lock
                """
            let first = try await home.shell(SecretServiceTests.start + set)
            #expect(
                first.errors.components(separatedBy: "Run the command without --pin-stdin.").count == 3,
                "\(first.errors)")
            for word in [
                "set 0", "token 0", "unlock 65", "remove 65", "change 0", "add 0",
                #"{"lock":"unlocked","methods":["pin","system"]}"#,
            ] {
                #expect(first.output.contains(word), "\(first.output) \(first.errors)")
            }

            try await desktop.setPolkit(.denies)
            let denied = try await home.shell(SecretServiceTests.start + "$LATCH token; echo \"token $?\"")
            #expect(denied.output.contains("token 77") && denied.errors.contains("did not accept"))
            let terminal = try PseudoTerminal(
                "/bin/bash",
                ["-c", SecretServiceTests.start + "$LATCH token >/dev/null; echo \"token $?\"; $LATCH lock"],
                environment: home.environment)
            try terminal.wait(for: "PIN of this device")
            #expect(terminal.screen.contains("did not accept"))
            terminal.type(Self.pin + "\n")
            #expect(try terminal.end() == 0 && terminal.screen.contains("token 0"))

            try await desktop.setPolkit(.hasNoAgent)
            let remove = """
                $LATCH token; echo "token $?"
                echo \(Self.pin) | $LATCH pin local remove --system-authentication --pin-stdin; echo "remove $?"
                $LATCH token; echo "token $?"; $LATCH pin local status --json
                """
            let last = try await home.shell(SecretServiceTests.start + remove)
            for word in ["token 80", "remove 0", "token 0", #"{"lock":"unlocked","methods":["pin"]}"#] {
                #expect(last.output.contains(word), "\(last.output) \(last.errors)")
            }
        }
    }

    @Test("IM-15 a lock without accounts keeps its secret store, so that its key stays where it is looked for")
    func keepsStore() async throws {
        try await TestGateway.with { server in
            let home = try await lockedHome()
            let other = try await home.latch(
                "login", server.url, "-e", TestGateway.email, "--password-stdin", "--secrets", "service",
                input: TestGateway.password)
            #expect(other.status != 0 && other.errors.contains("remove the lock of the device"), "\(other.errors)")
            #expect(try await home.latch("unlock", "--pin-stdin", input: Self.pin).status == 0)
        }
    }

    @Test("IM-15 a forgotten PIN is removed with a sign-out of every account, which stays listed")
    func forgotten() async throws {
        try await TestGateway.with { server in
            let home = try await signedIn(server)
            _ = try await home.latch("pin", "local", "set", "--pin-stdin", input: Self.pin)
            _ = try await home.latch("lock")
            #expect(try await home.latch("pin", "local", "remove", "--forgotten").status == 0)
            let accounts = try await home.latch("accounts")
            #expect(accounts.output.contains(TestGateway.email))
            let token = try await home.latch("token")
            #expect(token.status == 77 && token.errors.contains("because the PIN of this device was removed"))
        }
    }

    @Test(
        "IM-15 downloads that run continue while the device is locked, or pause until it is unlocked, as set",
        arguments: ["continue", "stop"])
    func downloads(_ setting: String) async throws {
        let fixture = try await FileServerFixture()
        let home = fixture.home
        let set = try await home.latch(
            "pin", "local", "set", "--downloads", setting, "--pin-stdin", input: Self.pin)
        #expect(set.status == 0, "\(set.errors)")
        let (files, latch, environment) = ((0..<60).map { "/files/\($0)" }, HomeFixture.latch, home.environment)
        // Every file waits for a program, so that the downloads last longer than a checked token is used.
        fixture.intercept { request in
            guard request.path.hasPrefix("/files/") else { return nil }
            let program = Process()
            (program.executableURL, program.environment) = (URL(fileURLWithPath: latch), environment)
            (program.arguments, program.standardOutput) = (["lock"], FileHandle.nullDevice)
            try? program.run()
            program.waitUntilExit()
            return nil
        }
        let download = try await home.latch(["download", "--to", home.folder.file("Files"), "--parallel", "1"] + files)
        #expect((download.status == 0) == (setting == "continue"), "\(download.errors)")
        #expect((fixture.file("59") != nil) == (setting == "continue"))
        guard setting == "stop" else { return }

        let list = try await home.latch("downloads", "list").output
        #expect(list.contains("paused") && download.errors.contains("Enter the PIN of this device"))
        #expect(try await home.latch("unlock", "--pin-stdin", input: Self.pin).status == 0)
        #expect(try await home.latch("downloads", "resume").status == 0)
        fixture.intercept { _ in nil }
        #expect(try await home.latch("download").status == 0)
        #expect(files.indices.allSatisfy { fixture.file("\($0)") != nil })
    }

    /// Commands that cannot work, which is known before the PIN is read.
    private func expectRefusals(_ home: HomeFixture) async throws {
        let local = ["pin", "local"]
        for arguments in [["remove", "--pin-stdin"], ["remove", "--forgotten"]] {
            let none = try await home.latch(local + arguments, input: Self.pin)
            #expect(none.status != 0 && none.errors.contains("This device has no lock."), "\(none.errors)")
        }
        #expect(try await home.latch(local + ["status"]).output == "This device has no lock.\n")
        _ = try await home.latch(local + ["set", "--pin-stdin"], input: Self.pin)
        for (action, text) in [("set", "sealed file"), ("remove", "does not unlock this device")] {
            let refused = try await home.latch(local + [action, "--system-authentication"])
            #expect(refused.status != 0 && refused.errors.contains(text), "\(refused.errors)")
        }
        let combined = try await home.latch(local + ["remove", "--system-authentication", "--forgotten"])
        #expect(combined.status == 64)
        // No try was counted, and the lock is still there.
        let wrong = try await home.latch("unlock", "--pin-stdin", input: "000000")
        #expect(wrong.errors.contains("9 tries are left"))
        let removed = try await home.latch(local + ["remove", "--pin-stdin"], input: Self.pin)
        #expect(removed.output == "This device has no lock.\n")
    }

    private func signedIn(_ server: TestGateway) async throws -> HomeFixture {
        let home = try HomeFixture()
        let login = try await home.latch(
            "login", server.url, "-e", TestGateway.email, "--password-stdin", input: TestGateway.password)
        #expect(login.status == 0)
        return home
    }

    private func lockedHome() async throws -> HomeFixture {
        let home = try HomeFixture()
        #expect(try await home.latch("pin", "local", "set", "--pin-stdin", input: Self.pin).status == 0)
        #expect(try await home.latch("lock").status == 0)
        return home
    }
}
