import TestSupport
import Testing

/// What other tests rely on when they start programs.
@Suite(.blocking, .inTurn, .timeLimit(.minutes(20))) struct RunningProgramTests {
    @Test("after a program's end its whole output is available, even if its child processes still run")
    func outputAfterExit() async throws {
        let complete = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<200 {
                group.addTask {
                    let program = try RunningProgram(
                        "/bin/sh", ["-c", "echo first; sleep 2 & echo last"], environment: ["PATH": "/usr/bin:/bin"])
                    await program.waitForExit()
                    return program.output == "first\nlast\n"
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(complete.allSatisfy { $0 })
    }

    @Test("a terminal shows a program's whole output after its end")
    func terminalOutputAfterExit() throws {
        for _ in 0..<50 {
            let terminal = try PseudoTerminal(
                "/bin/sh", ["-c", "echo first; echo last"], environment: ["PATH": "/usr/bin:/bin"])
            #expect(try terminal.end() == 0)
            #expect(terminal.screen == "first\r\nlast\r\n")
        }
    }
}
