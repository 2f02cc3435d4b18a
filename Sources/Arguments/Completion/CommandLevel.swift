/// The parts of a command that completion scripts need, without its action and types.
struct CommandLevel {
    /// The names of the commands from the root to this command.
    let path: [String]
    let summary: String
    /// The names and summaries of the subcommands.
    let commands: [(name: String, summary: String)]
    /// The options of this command and its parents, followed by `--help` and, at the root, `--version`.
    let options: [Parameter]
    let positionals: [Parameter]

    /// The path joined with spaces, used as a key in the scripts.
    var key: String { path.joined(separator: " ") }

    /// Returns all commands of a program, parents first.
    static func all<Action>(under root: Command<Action>) -> [CommandLevel] {
        levels(of: root, above: [], inherited: [])
    }

    private static func levels<Action>(
        of command: Command<Action>, above: [String], inherited: [Parameter]
    ) -> [CommandLevel] {
        let options = command.options + inherited
        let level = CommandLevel(
            path: above + [command.name], summary: command.summary,
            commands: command.commands.map { ($0.name, $0.summary) },
            options: options + builtInOptions(isRoot: above.isEmpty), positionals: command.positionals)
        return [level] + command.commands.flatMap { levels(of: $0, above: level.path, inherited: options) }
    }

    private static func builtInOptions(isRoot: Bool) -> [Parameter] {
        [Flag("help", short: "h", help: "Show this help.").parameter]
            + (isRoot ? [Flag("version", help: "Show the version.").parameter] : [])
    }
}
