/// One command as a completion script needs it: no action, no types.
struct CommandLevel {
    /// From the root's name to this command's.
    let path: [String]
    let summary: String
    /// Names and summaries of the commands under it.
    let commands: [(name: String, summary: String)]
    /// Its own options and those of the commands above it, then `--help` and, at the root, `--version`.
    let options: [Parameter]
    let positionals: [Parameter]

    /// The path in one word, as scripts keep it.
    var key: String { path.joined(separator: " ") }

    /// Every command of a program, parents first.
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
