import Foundation
import TestSupport
import Testing

/// `latch downloads`: what waits, of which account, and what is said of it.
@Suite("Download lists and commands", .blocking, .timeLimit(.minutes(20))) struct DownloadsTests {
    /// Two accounts, each with a file that failed.
    private func twoAccountsWithFailures() async throws -> (FileServerFixture, FileServerFixture) {
        let first = try await FileServerFixture()
        let second = try await FileServerFixture(in: first.home)
        for (fixture, name) in [(first, "a.bin"), (second, "b.bin")] {
            fixture.intercept { $0.path.hasPrefix("/files/") ? .init(status: 403) : nil }
            let failed = try await first.download(fixture.server.url("/files/\(name)"))
            #expect(failed.status == 1, "\(failed.errors)")
        }
        return (first, second)
    }

    @Test(
        "DL-8 DL-12 the list and the commands can be limited to an account and to states")
    func filters() async throws {
        let (first, second) = try await twoAccountsWithFailures()
        let home = first.home
        let account = "127.0.0.1:\(first.server.port)"
        let retried = try await home.latch("downloads", "retry", "--account", account)
        let none = try await home.latch("downloads", "resume")
        let waiting = try await home.latch("downloads", "list", "--state", "waiting")
        let failed = try await home.latch("downloads", "list", "--state", "failed", "--state", "done", "--json")
        let other = try await home.latch("downloads", "list", "--account", "127.0.0.1:\(second.server.port)")
        let nothing = try await home.latch("downloads", "list", "--account", account, "--state", "failed")
        let invalidState = try await home.latch("downloads", "list", "--state", "lost")
        let otherAccount = try await home.latch(
            "downloads", "cancel", "--account", "127.0.0.1:\(second.server.port)", first.server.url("/files/a.bin"))
        let cleared = try await home.latch("downloads", "clear", "--account", "127.0.0.1:\(second.server.port)")
        first.intercept { _ in nil }
        let came = try await home.latch("download")

        #expect(retried.output == "1 file.\n")
        #expect(retried.errors == "To download it: latch download; in the background: latch download --background\n")
        #expect(none.status == 0 && none.output == "0 files.\n" && none.errors.isEmpty)
        let lines = waiting.output.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        #expect(
            lines == [
                ["STATE", "ID", "SIZE", "TRIES", "NAME", "REASON"],
                ["waiting", first.server.url("/files/a.bin"), "0", "a.bin"],
            ])
        let rows = try #require(try HomeFixture.json(failed)["downloads"] as? [[String: Any]])
        #expect(rows.map { $0["filename"] as? String } == ["b.bin"])
        #expect(other.output.contains("\nfailed   \(second.server.url("/files/b.bin"))"))
        #expect(
            nothing.status == 0 && nothing.output.isEmpty
                && nothing.errors == "No files of this account are 'failed'.\n")
        #expect(invalidState.status == 64 && otherAccount.status == 65, "\(invalidState.errors)\(otherAccount.errors)")
        #expect(cleared.output == "1 file.\n")
        #expect(came.status == 0 && first.file("a.bin") == FileServerFixture.bytes("a.bin"), "\(came.errors)")
    }

    @Test("DL-12 every command affects only the named account", arguments: ["pause", "resume", "cancel", "clear"])
    func commands(_ name: String) async throws {
        let (first, second) = try await twoAccountsWithFailures()
        let home = first.home
        if name != "clear" { _ = try await home.latch("downloads", "retry") }
        if name == "resume" { _ = try await home.latch("downloads", "pause") }
        let result = try await home.latch("downloads", name, "--account", "127.0.0.1:\(second.server.port)")
        let list = try await home.latch("downloads", "list")
        let lines = list.output.split(separator: "\n").dropFirst().map { $0.prefix { $0 != " " } }
        #expect(result.output == "1 file.\n")
        let expected: [String: [Substring]] = [
            "pause": ["waiting", "paused"], "resume": ["paused", "waiting"], "cancel": ["waiting"], "clear": ["failed"],
        ]
        #expect(lines == expected[name], "\(list.output)")
    }

    @Test("DL-11 a downloaded file has the usual permissions, and its part can be read only by its owner")
    func modes() async throws {
        let fixture = try await FileServerFixture()
        func mode(_ path: String) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: fixture.home.folder.file(path))[.posixPermissions] as? Int
        }
        for (mask, wanted, name) in [
            ("022", 0o644, "a"), ("027", 0o640, "b"), ("002", 0o664, "c"), ("077", 0o600, "d"),
        ] {
            let result = try await fixture.home.shell(
                #"umask \#(mask); "$LATCH" download --to "$HOME/Files" /files/\#(name)"#)
            #expect(result.status == 0, "\(result.errors)")
            #expect(try mode("Files/\(name)") == wanted)
        }
        fixture.intercept { request in
            guard request.path == "/files/e" else { return nil }
            var response = FaultServer.Response.file(FileServerFixture.bytes("e"), to: request)
            response.stallAfter = 1_000
            return response
        }
        let arguments = ["download", "--to", fixture.home.folder.file("Files"), "/files/e", "--json"]
        let running = try RunningProgram(HomeFixture.latch, arguments, environment: fixture.home.environment)
        try await running.line { $0.contains("\"received\":1000") }
        let parts = try FileManager.default.contentsOfDirectory(atPath: fixture.home.folder.file("Files/.latchstring"))
        #expect(!parts.isEmpty)
        for part in parts { #expect(try mode("Files/.latchstring/" + part) == 0o600) }
        running.send(SIGINT)
        #expect(await running.waitForExit() == 130)
        #expect(try await fixture.home.latch("logout", "--drop-downloads").status == 0)
        let left = try FileManager.default.contentsOfDirectory(atPath: fixture.home.folder.file("Files/.latchstring"))
        #expect(left.isEmpty, "a sign-out leaves no half of a file")
    }

    @Test(
        "DL-8 DL-14 the list shows sizes, attempts, and until when and why files wait; retry ends the wait"
    )
    func paused() async throws {
        let fixture = try await FileServerFixture()
        fixture.intercept {
            $0.path.hasPrefix("/files/") ? .init(status: 503, headers: [("Retry-After", "600")]) : nil
        }
        let running = try RunningProgram(
            HomeFixture.latch, ["download", "--to", fixture.home.folder.file("Files"), "/files/a", "/files/b"],
            environment: fixture.home.environment)
        try await running.line { $0.contains("The next attempt is in") }
        running.send(SIGINT)
        #expect(await running.waitForExit() == 130)
        #expect(running.output.contains("Stopped. Received data is kept."))
        fixture.intercept { _ in nil }

        let list = try await fixture.home.latch("downloads", "list")
        let rows = try #require(
            try HomeFixture.json(try await fixture.home.latch("downloads", "list", "--json"))["downloads"]
                as? [[String: Any]])
        #expect(list.output.contains("not before ") && list.output.contains("503"), "\(list.output)")
        #expect(rows.allSatisfy { $0["notBefore"] is String && ($0["reason"] as? String)?.contains("503") ?? false })
        let again = try RunningProgram(HomeFixture.latch, ["download"], environment: fixture.home.environment)
        try await again.line { $0.contains("wait until") && $0.contains("latch downloads retry") }
        let retried = try await fixture.home.latch("downloads", "retry")
        #expect(retried.output == "2 files.\n", "\(retried.errors)")
        #expect(await again.waitForExit() == 0, "\(again.output)")
        let done = try await fixture.home.latch("downloads", "list")
        #expect(done.output.contains("2.2 kB"), "\(done.output)")
    }

    @Test("DL-12 the first Ctrl-C ends the download even if its output is not read")
    func unreadOutput() async throws {
        let fixture = try await FileServerFixture()
        let folder = fixture.home.folder.file("Files")
        let program = try ChildProcess(
            HomeFixture.latch, ["download", "--json", "--to", folder] + (0..<600).map { "/files/\($0)" },
            environment: fixture.home.environment, errors: .nowhere)
        try await eventually { (try? FileManager.default.contentsOfDirectory(atPath: folder).count) == 601 }
        program.send(SIGINT)
        #expect(await program.waitForExit() == 130)
    }

    @Test(
        "DL-13 a missing folder is created again only with --make-folder; at a terminal the person may name another")
    func missingFolder() async throws {
        let fixture = try await FileServerFixture()
        let folder = fixture.home.folder.file("Files")
        #expect(try await fixture.download("/files/a").status == 0)
        try FileManager.default.removeItem(atPath: folder)
        let refused = try await fixture.download("/files/b")
        #expect(
            refused.status == 1 && refused.errors.contains("'\(folder)' before, but it is missing."),
            "\(refused.errors)")
        #expect(!FileManager.default.fileExists(atPath: folder))
        let terminal = try fixture.home.terminal("download", "--to", folder, "/files/b")
        try terminal.wait(for: "Another folder")
        terminal.type(fixture.home.folder.file("Other") + "\n")
        #expect(try terminal.end() == 0, "\(terminal.screen)")
        #expect(FileManager.default.fileExists(atPath: fixture.home.folder.file("Other/b")))
        let made = try await fixture.download("/files/b", "--make-folder")
        #expect(made.status == 0 && fixture.file("b") == FileServerFixture.bytes("b"), "\(made.errors)")
    }

    @Test(
        "DL-13 --make-folder creates the folder for waiting files, which continue; an empty folder is reported"
    )
    func waitingForFolder() async throws {
        let fixture = try await FileServerFixture()
        let folder = fixture.home.folder.file("Files")
        #expect(try await fixture.download("/files/a").status == 0)
        fixture.intercept { $0.path.hasPrefix("/files/") ? .init(status: 403) : nil }
        #expect(try await fixture.download("/files/b").status == 1)
        fixture.intercept { _ in nil }
        #expect(try await fixture.home.latch("downloads", "retry").output == "1 file.\n")
        try FileManager.default.removeItem(atPath: folder)
        let result = try await fixture.home.latch("download")
        #expect(
            result.status == 1 && result.errors.contains("'\(folder)' before, but it is missing."), "\(result.errors)")
        #expect(result.errors.contains("give the same command with --make-folder"))
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        let empty = try await fixture.home.latch("download")
        #expect(empty.status == 1 && empty.errors.contains("it is empty now"), "\(empty.errors)")
        try FileManager.default.removeItem(atPath: folder)
        let made = try await fixture.home.latch("download", "--make-folder")
        #expect(made.status == 0 && fixture.file("b") == FileServerFixture.bytes("b"), "\(made.errors)")
    }

    @Test("DL-13 --make-folder creates the folder also if no file waits, and names the next command")
    func nothingWaitsForFolder() async throws {
        let fixture = try await FileServerFixture()
        let folder = fixture.home.folder.file("Files")
        #expect(try await fixture.download("/files/a").status == 0)
        try FileManager.default.removeItem(atPath: folder)
        #expect(try await fixture.home.latch("download", "/files/b").status == 1)
        let made = try await fixture.home.latch("download", "--make-folder")
        #expect(made.status == 0 && made.errors.contains("'\(folder)' can be used. To select files"), "\(made.errors)")
        #expect(FileManager.default.fileExists(atPath: folder))
        #expect(try await fixture.home.latch("download", "/files/b").status == 0)
    }

    @Test("DL-11 the folder that was chosen for an account is stored, and the next command reports it")
    func rememberedFolder() async throws {
        let fixture = try await FileServerFixture()
        #expect(try await fixture.download("/files/a").status == 0)
        let again = try await fixture.home.latch("download", "/files/b")
        #expect(
            again.status == 0
                && again.errors.contains("The files are saved to '\(fixture.home.folder.file("Files"))', as before"))
        #expect(fixture.file("b") == FileServerFixture.bytes("b"))
    }

    @Test("DL-9 files that another program fetches are shown with progress, and wait if that program is killed")
    func watched() async throws {
        let fixture = try await FileServerFixture()
        let bytes = [UInt8](repeating: 7, count: 400_000)
        fixture.intercept { request in
            guard request.path == "/files/a" else { return nil }
            var response = FaultServer.Response.file(bytes, to: request)
            response.stallAfter = 200_000
            return response
        }
        let arguments = ["download", "--to", fixture.home.folder.file("Files"), "/files/a", "--json"]
        let running = try RunningProgram(HomeFixture.latch, arguments, environment: fixture.home.environment)
        try await running.line { $0.contains("\"received\":200000") }
        let watching = try RunningProgram(
            HomeFixture.latch, ["downloads", "watch", "--json"], environment: fixture.home.environment)
        let line = try await watching.line { $0.contains("\"event\":\"progress\"") && !$0.contains("\"received\":0,") }
        #expect(line.contains("\"total\":400000"), "\(line)")
        let listed = try await fixture.home.latch("downloads", "list")
        running.send(SIGKILL)
        _ = await running.waitForExit()
        _ = await watching.waitForExit()
        let left = try await fixture.home.latch("downloads", "list", "--state", "waiting")
        #expect(
            listed.output.contains("\nrunning") && left.output.contains("\nwaiting"), "\(left.output)\(left.errors)")
        let nothing = try await fixture.home.latch("downloads", "watch")
        #expect(nothing.status == 0 && nothing.output.isEmpty && nothing.errors.hasPrefix("No download is running."))
    }

    @Test("DL-8 a reader that is slow gets every line of a long download")
    func slowReader() async throws {
        let fixture = try await FileServerFixture()
        let gate = fixture.home.folder.file("gate")
        #expect(mkfifo(gate, 0o600) == 0)
        let script = #"""
            "$LATCH" download --json --to "$HOME/Files" $(seq -f /files/%g 1800) | { read -r < "\#(gate)"; cat; }
            exit "${PIPESTATUS[0]}"
            """#
        let reading = Task { try await fixture.home.shell(script) }
        // Nothing is read until the program waits for its reader, or has fetched all without waiting. A busy machine may let the
        // reader begin earlier, and then proves less.
        var (asked, since) = (0, ContinuousClock.now)
        try await eventually {
            let now = fixture.server.requests.count { $0.path.hasPrefix("/files/") }
            if now != asked { (asked, since) = (now, .now) }
            return asked > 0 && since.duration(to: .now) > .seconds(2)
        }
        try Data("go\n".utf8).write(to: URL(filePath: gate))
        let result = try await reading.value
        #expect(result.status == 0, "\(result.errors)")
        let lines = result.output.split(separator: "\n")
        #expect(lines.count > 4_096)
        for event in ["running", "complete"] {
            let count = lines.count { $0.contains(#""\#(event)""#) }
            #expect(count == 1_800, "\(event)")
        }
    }

    @Test("DL-12 a sign-out drops waiting files: it asks first at a terminal, and elsewhere requires an option")
    func signingOut() async throws {
        let (first, second) = try await twoAccountsWithFailures()
        let home = first.home
        let free = try await home.latch("logout", "127.0.0.1:\(second.server.port)", "--json")
        #expect(free.status == 0, "what failed waits for nothing: \(free.errors)")
        _ = try await home.latch("downloads", "retry")
        let message =
            "drops these pending downloads: 1 file of ada@example.org at http://127.0.0.1:\(first.server.port)."
        let refused = try await home.latch("logout")
        let all = try await home.latch("logout", "--all", "--json")
        #expect(refused.status == 64 && refused.errors.contains(message), "\(refused.errors)")
        #expect(refused.errors.contains("--drop-downloads") && all.status == 64)

        let no = try home.terminal("logout")
        try no.wait(for: "Sign out? [y/N]")
        no.type("n\n")
        #expect(try no.end() == 1 && no.screen.contains("You were not signed out"), "\(no.screen)")
        #expect(try await home.latch("whoami").status == 0)
        #expect(try await home.latch("downloads", "list").output.contains("\nwaiting"))

        let yes = try home.terminal("logout")
        try yes.wait(for: message)
        yes.type("y\n")
        #expect(try yes.end() == 0, "\(yes.screen)")
        #expect(try await home.latch("accounts").output.isEmpty == true)
        #expect(try await home.latch("downloads", "list").errors.contains("The queue is empty"))
    }

    @Test("DL-12 with that option a sign-out drops waiting files without a question")
    func signOutDropsFiles() async throws {
        let (first, _) = try await twoAccountsWithFailures()
        _ = try await first.home.latch("downloads", "retry")
        let out = try await first.home.latch("logout", "--all", "--drop-downloads")
        #expect(out.status == 0 && out.output.split(separator: "\n").count == 2, "\(out.errors)")
        #expect(try await first.home.latch("downloads", "list").errors.contains("The queue is empty"))
    }

    @Test("docs/downloads.md lists every option, every command and the exit codes of the help")
    func help() async throws {
        let home = try HomeFixture()
        let page = try String(contentsOfFile: Products.packageFolder + "/docs/downloads.md", encoding: .utf8)
        let (one, all) = (try await home.latch("download", "--help"), try await home.latch("downloads", "--help"))
        let options = one.output.matches(of: #/\n +(?:-., )?(--[a-z-]+)/#).map { String($0.1) }
        let general = try await home.latch("--help").output
        #expect(options.count > 12)
        for option in options where !general.contains(option) { #expect(page.contains(option), "\(option)") }
        let commands = all.output.matches(of: #/\n  ([a-z]+)  /#).map { String($0.1) }
        #expect(commands.count == 8, "\(all.output)")
        for command in commands { #expect(page.contains("| `latch downloads \(command)"), "\(command)") }
        let table = try #require(page.components(separatedBy: "| `latch download` | |").last)
        let exitCodes = table.matches(of: #/\n\| ([0-9, ]+) \|/#).flatMap { $0.1.components(separatedBy: ", ") }
        for help in [one, all] {
            let after = try #require(help.output.components(separatedBy: "Exit codes:").last)
            let codes = try #require(after.components(separatedBy: "\n\n").first)
            for code in codes.matches(of: #/[0-9]+/#) { #expect(exitCodes.contains(String(code.0)), "\(code.0)") }
        }
        for code in exitCodes { #expect(general.contains(" \(code)  "), "\(code)") }
    }
}
