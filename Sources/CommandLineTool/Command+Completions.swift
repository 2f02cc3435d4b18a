package import Arguments

extension Command {
    /// Declares the command `completions`, which prints the completion script of a shell.
    ///
    /// - Parameters:
    ///   - program: The name of the program.
    ///   - action: Creates the action from the shell.
    /// - Returns: The command.
    package static func completions(
        of program: String, action: @escaping @Sendable (Shell, Invocation) -> Action
    ) -> Self {
        let shell = Argument<Shell>("SHELL", help: "The shell.")
        return Self(
            "completions", "Print the completion script of a shell.",
            discussion: """
                For example, once:

                  \(program) completions bash > ~/.local/share/bash-completion/completions/\(program)
                  \(program) completions zsh > ~/.zfunc/_\(program)       (a folder of your fpath)
                  \(program) completions fish > ~/.config/fish/completions/\(program).fish
                """,
            arguments: [shell]
        ) { given in action(given[shell], given) }
    }
}
