import Foundation
import TestSupport
import Testing

@testable import Desktop

/// Programs of the desktop, really started.
@Suite(.timeLimit(.minutes(20))) struct DesktopProgramTests {
    @Test("A program's output and exit status are returned, and a missing program is reported by its name")
    func output() async throws {
        let good = try await DesktopProgram.output(of: ["sh", "-c", "echo hello; echo hidden >&2; exit 3"])
        #expect(good.status == 3 && good.text == "hello\n")
        #expect(try await DesktopProgram.output(of: ["sh", "-c", "kill -TERM $$"]).status == 128 + 15)
        for command in [["no-such-program-here"], [""], []] {
            let error = #expect(throws: DesktopError.self) { try DesktopProgram(command) }
            #expect(error?.code == .programMissing)
        }
    }

    @Test("A program has its own session, no standard input, and the default action for SIGPIPE")
    func session() async throws {
        signal(SIGPIPE, SIG_IGN)
        let script = "read line; cut -d' ' -f6 /proc/$$/stat; echo $$; grep SigIgn /proc/self/status"
        let lines = try await DesktopProgram.output(of: ["sh", "-c", script]).text.split(separator: "\n")
        #expect(lines.count == 3 && lines[0] == lines[1])
        let ignored = lines[2].split(separator: "\t").last.flatMap { UInt64($0, radix: 16) } ?? .max
        #expect(ignored & (1 << UInt64(SIGPIPE - 1)) == 0)
    }

    @Test("A program that has ended keeps its process number until its group is ended, or until nothing refers to it")
    func number() async throws {
        func state(of process: String) -> String? {
            (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8))?.split(separator: " ")[2]
                .description
        }
        let folder = try TemporaryDirectory()
        func start() throws -> DesktopProgram {
            try DesktopProgram(["sh", "-c", "sleep 300 & echo $$ $! >'\(folder.file("numbers"))'"])
        }
        func numbers() throws -> [String] {
            try String(contentsOfFile: folder.file("numbers"), encoding: .utf8).split(whereSeparator: \.isWhitespace)
                .map(String.init)
        }
        var program: DesktopProgram? = try start()
        #expect(await program?.status() == 0)
        let (first, child) = (try numbers()[0], try numbers()[1])
        #expect(state(of: first) == "Z")
        #expect(state(of: child) != nil && state(of: child) != "Z")
        program?.end()
        #expect(state(of: first) == nil)
        try await eventually { state(of: child) == nil || state(of: child) == "Z" }
        program?.end()

        program = try start()
        #expect(await program?.status() == 0)
        let second = try numbers()
        program = nil
        try await eventually { state(of: second[0]) == nil }
        kill(try #require(pid_t(second[1])), SIGKILL)
    }

    @Test("Waiting for a program can be cancelled, and it continues to run")
    func cancelled() async throws {
        let folder = try TemporaryDirectory()
        let gate = folder.file("gate")
        try #require(mkfifo(gate, 0o600) == 0)
        // It ends when the other end of its input was open.
        let program = try DesktopProgram(["cat", gate])
        let waiting = Task { await program.status() }
        waiting.cancel()
        #expect(await waiting.cancellableValue == nil)
        close(open(gate, O_WRONLY))
    }
}
