import Arguments
import HTTPMessages
import LatchKit

/// `latch completions`: prints the completion script of a shell.
struct ShowCompletions: ExecutableCommand {
    private static let shell = Argument<Shell>("SHELL", help: "The shell.")

    static let command = Command<Request>(
        "completions", "Print the completion script of a shell.",
        discussion: """
            For example, once:

              latch completions bash > ~/.local/share/bash-completion/completions/latch
              latch completions zsh > ~/.zfunc/_latch       (a folder of your fpath)
              latch completions fish > ~/.config/fish/completions/latch.fish
            """,
        arguments: [shell]
    ) { given in
        Request(given, ShowCompletions(shell: given[shell]))
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
