import Arguments
import CommandLineTool
import HTTPMessages
import LatchKit

/// `latch completions`: prints the completion script of a shell.
struct ShowCompletions: ExecutableCommand {
    static let command = Command<Request>.completions(of: "latch") { shell, given in
        Request(given, ShowCompletions(shell: shell))
    }

    private let shell: Shell

    func perform(in context: CommandContext) async throws -> ExitCode {
        let script = LatchProgram.program.completionScript(for: shell)
        guard !context.console.isJSON else {
            try context.console.result([], json: ["shell": .string(shell.rawValue), "script": .string(script)])
            return .done
        }
        try context.console.raw(Array(script.utf8))
        return .done
    }
}
