import Foundation
import TestSupport
import Testing

@testable import Desktop

/// Programs that go on without their terminal.
@Suite(.timeLimit(.minutes(20))) struct BackgroundProgramTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    /// Says that it has begun, as ``BackgroundProgram/reportReady(_:)`` does.
    private static let ready = """
        import os, socket
        line = socket.socket(socket.AF_UNIX)
        line.connect(os.environ["LATCH_READY"])
        line.sendall(b"ready"); line.shutdown(socket.SHUT_WR)
        print("begun", os.getsid(0) == os.getpid(), os.environ.get("COLOUR"), line.recv(9).decode().strip(), flush=True)
        """

    private var service: ServiceFile {
        ServiceFile("latchstring-test", environment: ["XDG_CONFIG_HOME": folder.file("config")])
    }

    private func program(_ script: String) -> BackgroundProgram {
        BackgroundProgram(
            ["/usr/bin/python3", "-c", script], as: service, description: "A test", environment: ["COLOUR": "blue"],
            log: folder.file("log"))
    }

    private func log() -> String {
        FileManager.default.contents(atPath: folder.file("log")).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    @Test(
        "DL-17 without a service manager a program runs in its own session, and only its user can read its log"
    )
    func withoutServiceManager() async throws {
        let manager = try await program(Self.ready).start(
            on: ["XDG_RUNTIME_DIR": folder.file("nowhere")], waitingIn: [folder.file("wait")])
        #expect(manager == .itself)
        try await eventually { log().hasSuffix("\n") }
        #expect(log() == "begun True None taken\n")
        #expect(!service.exists, "nobody would start it")
        let mode = try FileManager.default.attributesOfItem(atPath: folder.file("log"))[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file("wait")).isEmpty)
    }

    @Test(
        "DL-17 with systemd the program is a service that restarts after a crash and a reboot with the same arguments"
    )
    func asService() async throws {
        let odd = ["a b", "100%", "$HOME ${HOME}", "c\\d", "\"e\"", "f\u{E9}"]
        let desktop = try await MockDesktop(.manager, environment: ["XDG_CONFIG_HOME": folder.file("config")])
        let script = Self.ready + "\nimport sys; print(*sys.argv[1:], sep='|', flush=True)\n"
        let program = BackgroundProgram(
            ["/usr/bin/python3", "-c", script] + odd, as: service, description: "A test",
            environment: ["COLOUR": "blue"],
            log: folder.file("log"))
        let manager = try await program.start(on: desktop.environment, waitingIn: [folder.file("wait")])
        #expect(manager == .service)
        try await eventually { log().split(separator: "\n").count == 2 }
        #expect(log() == "begun True blue taken\n\(odd.joined(separator: "|"))\n")
        try await desktop.call(.manager) { $0.contains("StartUnit \"latchstring-test.service\"") }

        let path = try #require(service.path)
        let text = try String(contentsOfFile: path, encoding: .utf8)
        for line in ["Restart=on-abnormal", "Type=exec", "WantedBy=default.target", "UMask=0"] {
            #expect(text.contains("\n" + line), "\(line)")
        }
        #expect(!text.contains("Environment=\"LATCH_READY"), "the next start has nobody who waits")
        let link = folder.file("config/systemd/user/default.target.wants/latchstring-test.service")
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == path)
        service.remove()
        #expect(!service.exists && (try? FileManager.default.destinationOfSymbolicLink(atPath: link)) == nil)
    }

    @Test("A program that fails at its start is reported with its log file")
    func failing() async throws {
        let error = await #expect(throws: DesktopError.self) {
            try await program("import sys; sys.exit('no such thing')").start(
                on: [:], waitingIn: [folder.file("wait")])
        }
        #expect(error?.code == .programFailed)
        #expect(error?.message.contains("it exited with status 1; see '\(folder.file("log"))'") == true)
        #expect(log().contains("no such thing"))
    }

    @Test("A program that starts at desktop login has an autostart entry, which can be removed")
    func entry() async throws {
        let entry = LoginEntry("test", environment: ["XDG_CONFIG_HOME": folder.file("config")])
        try entry.write(["/bin/echo", "a b", "100%", "$HOME", "c\\d"], title: "A test")
        let path = try #require(entry.path)
        #expect(path == folder.file("config/autostart/test.desktop"))
        let result = try await Program.run("desktop-file-validate", [path])
        #expect(result.status == 0, "\(result.output)\(result.errors)")
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(text.contains(#"Exec=/bin/echo "a b" 100%% "\\$HOME" "c\\\\d""#))
        entry.remove()
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test("What a killed program left of an autostart entry is used by the next one, or removed")
    func killed() throws {
        let entry = LoginEntry("test", environment: ["XDG_CONFIG_HOME": folder.file("config")])
        let path = try #require(entry.path)
        func files() throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: folder.file("config/autostart"))
        }
        try entry.write(["/bin/true"], title: "A test")
        try "[Desktop Entry]\nExec=/bin/half-".write(toFile: path + ".new", atomically: false, encoding: .utf8)
        try entry.write(["/bin/echo"], title: "A test")
        #expect(try files() == ["test.desktop"])
        #expect(try String(contentsOfFile: path, encoding: .utf8).hasSuffix("NoDisplay=true\n"))
        try Data().write(to: URL(fileURLWithPath: path + ".new"))
        entry.remove()
        #expect(try files().isEmpty)
    }
}
