import DesktopDriver
import Foundation
import Testing

extension WindowTests {
    /// What the program does besides its pages.
    @Suite("The program latch-desktop")
    struct ProgramTests {
        @Test("IM-1 work of the main actor returns to the main thread, and pages end with their widgets")
        func probe() async throws {
            let folders = try PersonFolders()
            let probe = try ChildProgram(Programs.probe, [], environment: folders.environment, folder: folders.root)
            #expect(await probe.allOutput() == "main actor: passed\nownership: passed\n", "\(probe.errors)")
            #expect(await probe.exitCode() == 0)
        }

        @Test("IM-1 IM-16 --version and --help need no display, a wrong option and a missing display are one line")
        func commandLine() async throws {
            let version = try await run(["--version"])
            #expect(version.code == 0 && version.output.hasPrefix("latch-desktop ") && version.errors.isEmpty)
            let help = try await run(["--help"])
            #expect(help.code == 0 && help.output.hasPrefix("Usage: latch-desktop"))
            let option = try await run(["--unknown"])
            #expect(option.code == 64 && option.errors.hasPrefix("latch-desktop: '--unknown' is not an option"))
            let display = try await run([])
            #expect(display.code == 69 && display.errors.hasPrefix("latch-desktop: There is no display"))
            #expect(display.errors.count { $0 == "\n" } == 1 && display.output.isEmpty)
        }

        @Test("OX-9 a second start hands its link to the first, which says when no sign-in waits for it")
        func link() async throws {
            try await withApp { app, folders in
                let second = try ChildProgram(
                    Programs.desktop, ["onyx://auth/callback?code=1&state=unknown"], environment: folders.environment,
                    folder: folders.root)
                #expect(await second.exitCode() == 0)
                try await app.wait(for: .alert, containing: "No sign-in is waiting for this link.")
            }
        }

        @Test("OX-9 IM-16 3,000 links that no sign-in waits for are one message, which is complete in 360 pixels")
        func links() async throws {
            try await withApp { app, folders in
                try await app.resize(360, 680)
                let links = (0..<3_000).map { "'onyx://auth/callback?state=\($0)'" }.joined(separator: ",")
                for _ in 0..<2 {
                    let bus = try ChildProgram(
                        "/usr/bin/gdbus",
                        [
                            "call", "--session", "--dest", Self.id, "--object-path",
                            "/" + Self.id.replacing(".", with: "/"), "--method", "org.freedesktop.Application.Open",
                            "[\(links)]", "{}",
                        ], environment: folders.environment, folder: folders.root)
                    #expect(await bus.exitCode() == 0, "\(bus.errors)")
                }
                try await app.wait(for: .alert, containing: "3000 links were opened that no sign-in waits for.")
                try await app.screenshot("links-360")
                #expect(app.tree().split(separator: "\n").count { $0.contains("3000 links") } == 1)
                try app.requireFit(360)
                try await app.press("Settings")
                try await app.wait(for: .field, "Proxy")
            }
        }

        private static let id = "io.github.latchstring.Latchstring"

        @Test(
            "IM-2 the window fits 360 pixels, and has its size again at the next start; a FIFO in its place is ignored")
        func size() async throws {
            let folders = try PersonFolders()
            let state = folders.root.appending(path: "state/latchstring")
            try FileManager.default.createDirectory(at: state, withIntermediateDirectories: true)
            // Nobody writes to it. It is replaced when the window closes.
            try #require(mkfifo(state.path + "/window.ini", 0o600) == 0)
            try await withApp(folders) { app, _ in
                try await app.wait(for: .field, "Server URL")
                try await app.resize(360, 700)
                try await app.screenshot("connect-360")
            }
            let stored = try String(
                contentsOf: folders.root.appending(path: "state/latchstring/window.ini"), encoding: .utf8)
            #expect(stored.contains("width=360"))
            try await withApp(folders, isDark: true) { app, _ in
                try await app.wait(for: .field, "Server URL")
                try await app.screenshot("connect-dark")
            }
        }

        private func run(_ arguments: [String]) async throws -> (code: Int32, output: String, errors: String) {
            let folders = try PersonFolders()
            let environment = folders.environment.merging(["DISPLAY": "", "GDK_BACKEND": "x11"]) { $1 }
            let program = try ChildProgram(
                Programs.desktop, arguments, environment: environment, folder: folders.root)
            let output = await program.allOutput()
            return (await program.exitCode(), output, program.errors)
        }
    }
}
