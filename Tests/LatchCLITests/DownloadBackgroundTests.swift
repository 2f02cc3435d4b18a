import Foundation
import Synchronization
import TestSupport
import Testing

/// `latch download --background`: the built program, a real server and a real terminal that is closed.
@Suite(.blocking, .timeLimit(.minutes(20))) struct DownloadBackgroundTests {
    private let home: HomeFixture
    private let server: FaultServer
    private let gate = Gate()

    /// A server of files that sends `/files/slow` to its middle, and the rest when the test says so.
    private final class Gate: Sendable {
        private let isOpen = Mutex(false)
        static let bytes = patternBytes(200_000)

        func open() { isOpen.withLock { $0 = true } }

        func response(_ request: FaultServer.Request) -> FaultServer.Response {
            let body: String
            switch request.path {
            case "/api/auth/type": body = #"{"multi_tenant":false,"password_auth_enabled":true}"#
            case "/api/auth/mobile/login", "/api/auth/mobile/refresh":
                body = #"{"access_token":"token-of-ada","token_type":"bearer"}"#
            case "/api/me": body = #"{"id":"1","email":"ada@example.org","is_active":true,"role":"basic"}"#
            case "/files/slow.bin", "/files/quick.bin":
                var response = FaultServer.Response.file(Self.bytes, to: request)
                if request.path.contains("slow"), !isOpen.withLock({ $0 }) { response.stallAfter = 100_000 }
                return response
            default: return .init(status: 404)
            }
            return .init(headers: [("Content-Type", "application/json")], body: Array(body.utf8))
        }
    }

    init() async throws {
        var home = try HomeFixture()
        // A bus and services of the machine's are not this test's.
        home.environment["DBUS_SESSION_BUS_ADDRESS"] = "unix:path=" + home.folder.file("nowhere")
        home.environment["DBUS_SYSTEM_BUS_ADDRESS"] = "unix:path=" + home.folder.file("nowhere")
        self.home = home
        server = try FaultServer { [gate] in gate.response($0) }
        let login = try await home.latch(
            "login", server.url(""), "-e", "ada@example.org", "--password-stdin", input: "correct horse")
        try #require(login.status == 0, "\(login.errors)")
    }

    private var entry: String { home.folder.file("config/autostart/latchstring-downloads.desktop") }

    private func file(_ name: String) -> [UInt8] {
        FileManager.default.contents(atPath: home.folder.file("Pictures/\(name)")).map(Array.init) ?? []
    }

    private var commandLine: [String] {
        ["download", "--background", "--to", home.folder.file("Pictures"), "/files/slow.bin", "/files/quick.bin"]
    }

    /// Cuts the connections, so that what stands still is asked for anew and comes.
    private func releaseDownloads() {
        gate.open()
        server.cut()
    }

    /// The processes of this home that fetch.
    private func fetching() -> [Int32] {
        let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return all.compactMap { Int32($0) }.filter { id in
            let commandLine = FileManager.default.contents(atPath: "/proc/\(id)/cmdline") ?? Data()
            let environment = FileManager.default.contents(atPath: "/proc/\(id)/environ") ?? Data()
            return commandLine.starts(with: Data((HomeFixture.latch + "\0download\0").utf8))
                && environment.range(of: Data("XDG_DATA_HOME=\(home.folder.file("data"))\0".utf8)) != nil
        }
    }

    @Test("DL-17 a background download continues without its terminal, can be watched, and ends after the last file")
    func terminalClosed() async throws {
        do {
            let terminal = try PseudoTerminal(HomeFixture.latch, commandLine, environment: home.environment)
            try terminal.wait(for: "The download continues in the background")
            #expect(try terminal.end() == 0)
        }
        #expect(fetching().count == 1)
        #expect(FileManager.default.fileExists(atPath: entry))

        let watch = try RunningProgram(HomeFixture.latch, ["downloads", "watch"], environment: home.environment)
        releaseDownloads()
        #expect(await watch.waitForExit() == 0, "\(watch.output)")
        #expect(file("slow.bin") == Gate.bytes && file("quick.bin") == Gate.bytes)
        try await eventually { fetching().isEmpty }
        #expect(!FileManager.default.fileExists(atPath: entry))
        let log = FileManager.default.contents(atPath: home.folder.file("state/latchstring/downloads.log")) ?? Data()
        #expect(String(decoding: log, as: UTF8.self).contains("2 files downloaded"))
        #expect(!log.leaks("token-of-ada"))
    }

    @Test("DL-17 a killed background download, as by a restart of the machine, continues at the next desktop login")
    func restarted() async throws {
        let started = try await home.latch(commandLine)
        #expect(started.status == 0, "\(started.errors)")
        try await eventually { file("quick.bin") == Gate.bytes }
        // Its length is known to others when the queue's file says how to go on with it.
        let watch = try RunningProgram(
            HomeFixture.latch, ["downloads", "watch", "--json"], environment: home.environment)
        try await watch.line(containing: #""received":100000,"total":200000"#)
        watch.send(SIGKILL)
        await watch.waitForExit()
        for id in fetching() { kill(id, SIGKILL) }
        try await eventually { fetching().isEmpty }
        #expect(file("slow.bin").isEmpty)

        let text = try String(contentsOfFile: entry, encoding: .utf8)
        let command = try #require(text.split(separator: "\n").first { $0.hasPrefix("Exec=") }).dropFirst(5)
        #expect(command.contains(" download --keep-trying"), "nobody is there to try again")
        gate.open()
        // What the desktop's environment lacks must be in the entry.
        let desktop = home.environment.filter {
            !["XDG_DATA_HOME", "XDG_STATE_HOME", "LATCH_SECRETS"].contains($0.key)
        }
        let signIn = try await Program.run("/bin/sh", ["-c", String(command)], environment: desktop)
        #expect(signIn.status == 0, "\(signIn.errors)")
        try await eventually { file("slow.bin") == Gate.bytes }
        try await eventually { fetching().isEmpty }
        #expect(!FileManager.default.fileExists(atPath: entry))
        let ranges = server.requests.filter { $0.path.contains("slow") }.map { $0.headers["range"] }
        #expect(ranges == [nil, "bytes=100000-"])

        let nothing = try await Program.run("/bin/sh", ["-c", String(command)], environment: desktop)
        #expect(nothing.status == 0 && nothing.output.contains("No files are waiting"), "\(nothing.errors)")
    }

    @Test(
        "DL-17 with a service manager the download is a service without secrets in its arguments or environment"
    )
    func service() async throws {
        let desktop = try await MockDesktop(.manager, .notifications, environment: home.environment)
        var home = home
        home.environment.merge(desktop.environment) { $1 }
        let variants = [
            "http_proxy": "http://127.0.0.1:9", "no_proxy": "127.0.0.1", "HTTPS_PROXY": "http://proxy.example:3128",
            "SSL_CERT_FILE": "/etc/ssl/mine.pem", "SSL_CERT_DIR": "/etc/ssl/mine",
            "CURL_CA_BUNDLE": "/etc/ssl/curl.pem",
        ]
        home.environment.merge(variants) { $1 }
        home.environment["ALL_PROXY"] = "http://ada:open-sesame-1@proxy.example:3128"
        let started = try await home.latch(commandLine + ["--json"])
        #expect(started.status == 0, "\(started.errors)")
        #expect(try HomeFixture.json(started)["service"] as? String == "latchstring-downloads")
        let unitFile = home.folder.file("config/systemd/user/latchstring-downloads.service")
        let unit = try String(contentsOfFile: unitFile, encoding: .utf8)
        #expect(!FileManager.default.fileExists(atPath: entry), "one of the two begins it again")
        releaseDownloads()
        try await desktop.call(.notifications) { $0.contains(#""Download complete" "2 items saved to gallery""#) }
        #expect(file("slow.bin") == Gate.bytes && file("quick.bin") == Gate.bytes)
        #expect(
            unit.contains("ExecStart=") && unit.contains("--keep-trying") && unit.contains("WantedBy=default.target"))
        try await eventually { !FileManager.default.fileExists(atPath: unitFile) }
        #expect(!unit.contains("ALL_PROXY"))
        for secret in ["token-of-ada", "correct horse", "open-sesame-1"] {
            #expect(!unit.leaks(secret), "\(secret)")
        }
        for (name, value) in variants {
            #expect(unit.contains("\(name)=\(value)"), "\(name)")
        }
        try await eventually { fetching().isEmpty }
    }

    @Test(
        "DL-17 a service whose files were all removed from the queue is deleted, and a start without files is harmless",
        arguments: [["downloads", "cancel"], ["logout", "--drop-downloads"]])
    func emptyQueue(_ emptying: [String]) async throws {
        let desktop = try await MockDesktop(.manager, .notifications, environment: home.environment)
        var home = home
        home.environment.merge(desktop.environment) { $1 }
        let started = try await home.latch(commandLine)
        #expect(started.status == 0, "\(started.errors)")
        let unitFile = home.folder.file("config/systemd/user/latchstring-downloads.service")
        let unit = try String(contentsOfFile: unitFile, encoding: .utf8)
        for id in fetching() { kill(id, SIGKILL) }
        try await eventually { fetching().isEmpty }

        let emptied = try await home.latch(emptying)
        #expect(emptied.status == 0, "\(emptied.errors)")
        #expect(!FileManager.default.fileExists(atPath: unitFile))
        // As an earlier version left it.
        try unit.write(toFile: unitFile, atomically: true, encoding: .utf8)
        let command = try #require(unit.split(separator: "\n").first { $0.hasPrefix("ExecStart=") }).dropFirst(10)
        let next = try await Program.run("/bin/sh", ["-c", String(command)], environment: home.environment)
        #expect(next.status == 0 && next.output.contains("No files are waiting"), "\(next.errors)")
        #expect(!FileManager.default.fileExists(atPath: unitFile))
    }

    @Test("DL-17 a failed start leaves no service that would start later")
    func failedStart() async throws {
        try FileManager.default.createDirectory(
            atPath: home.folder.file("state/latchstring/downloads.log"), withIntermediateDirectories: true)
        let failed = try await home.latch(commandLine)
        #expect(failed.status == 1 && failed.errors.contains("its log"), "\(failed.errors)")
        #expect(!FileManager.default.fileExists(atPath: entry))
        #expect(
            !FileManager.default.fileExists(
                atPath: home.folder.file("config/systemd/user/latchstring-downloads.service")))
    }

    @Test("If the program could not open the secrets without a passphrase, it says so at once and starts nothing")
    func passphrase() async throws {
        let other = try HomeFixture()
        let terminal = try PseudoTerminal(
            HomeFixture.latch, ["login", server.url(""), "-e", "ada@example.org"], environment: other.environment)
        for (question, response) in [
            ("New passphrase for", "open sesame"), ("Repeat the passphrase", "open sesame"),
            ("Password of", "correct horse"),
        ] {
            try terminal.wait(for: question)
            terminal.type(response + "\n")
        }
        #expect(try terminal.end() == 0, "\(terminal.screen)")
        let refused = try await other.latch("download", "--background", "/files/quick.bin")
        #expect(refused.status != 0 && refused.errors.contains("--secrets-key"), "\(refused.errors)")
    }
}
