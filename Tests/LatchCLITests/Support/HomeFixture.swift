import Foundation
import TestSupport

/// A home of its own for one test, and the built `latch` run in it as a process.
struct HomeFixture {
    /// The built programs stand beside the test runner.
    static let latch: String = {
        let runner = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return (runner as NSString).deletingLastPathComponent + "/latch"
    }()

    let folder: TemporaryDirectory
    var environment: [String: String]

    init() throws {
        folder = try TemporaryDirectory()
        environment = [
            "HOME": folder.path, "XDG_DATA_HOME": folder.file("data"), "XDG_CONFIG_HOME": folder.file("config"),
            "XDG_STATE_HOME": folder.file("state"), "XDG_RUNTIME_DIR": folder.file("run"), "LATCH_SECRETS": "file",
            "PATH": "/usr/bin:/bin", "TERM": "xterm", "LANG": "C.UTF-8", "TZ": "UTC", "LATCH": Self.latch,
        ]
    }

    /// Where the accounts are.
    var data: String { folder.file("data/latchstring") }

    /// Runs `latch` in a session without a terminal.
    func latch(_ arguments: String..., input: String = "") async throws -> Program.Result {
        try await latch(arguments, input: input)
    }

    /// Runs `latch` in a session without a terminal.
    func latch(_ arguments: [String], input: String = "") async throws -> Program.Result {
        try await run([Self.latch] + arguments, input: input)
    }

    /// Runs a script of bash in a session without a terminal; `$LATCH` is the program.
    func shell(_ script: String) async throws -> Program.Result {
        try await run(["/bin/bash", "-c", script], input: "")
    }

    // The folder is held until the program has ended: it would make the folder anew.
    private func run(_ words: [String], input: String) async throws -> Program.Result {
        defer { withExtendedLifetime(folder) {} }
        return try await Program.run(
            "/usr/bin/setsid", ["--wait"] + words, environment: environment, input: input, directory: folder.path)
    }

    /// Runs a statement on the accounts database. Returns the rows, a line each, with spaces between the columns.
    func sql(_ statement: String) async throws -> String {
        let script = """
            import sqlite3, sys
            with sqlite3.connect(sys.argv[1]) as database:
                for row in database.execute(sys.argv[2]): print(*row)
            """
        let result = try await Program.run("python3", ["-c", script, data + "/latchstring.db", statement])
        guard result.status == 0 else { throw ChildProcess.Failure(result.errors) }
        return result.output
    }

    /// Runs `latch` at a terminal.
    func terminal(_ arguments: String...) throws -> PseudoTerminal {
        try PseudoTerminal(Self.latch, arguments, environment: environment)
    }

    /// The JSON value that is all of an answer's standard output.
    static func json(_ result: Program.Result) throws -> [String: Any] {
        let value = try JSONSerialization.jsonObject(with: Data(result.output.utf8))
        return value as? [String: Any] ?? [:]
    }

    /// All bytes of all files under the home.
    func everythingOnDisk() -> [(path: String, bytes: Data)] {
        let files = FileManager.default
        let paths = files.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
        return paths.compactMap { path in files.contents(atPath: folder.file(path)).map { (path, $0) } }
    }
}
