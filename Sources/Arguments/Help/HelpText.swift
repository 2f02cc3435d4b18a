/// The help text of one command, at most 80 columns wide.
struct HelpText<Action: Sendable> {
    private static var width: Int { 80 }
    /// The maximum width of an entry whose text starts on the same line. The text of wider entries starts on the next
    /// line.
    private static var widestEntry: Int { 28 }

    /// The commands from the root to this command.
    let path: [Command<Action>]
    let version: String

    private var command: Command<Action> { path[path.count - 1] }
    private var name: String { path.map(\.name).joined(separator: " ") }

    func rendered() -> String {
        var blocks = [usage, command.summary.wrapped(to: Self.width)]
        blocks += discussion
        blocks.append(table("Commands:", command.commands.map { ($0.name, $0.summary) }))
        blocks.append(table("Arguments:", command.positionals.map { ($0.name, text(of: $0)) }))
        blocks.append(table("Options:", optionRows))
        if !command.commands.isEmpty {
            blocks.append(["Run '\(name) COMMAND --help' for details of a command."])
        }
        return blocks.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") }.joined(separator: "\n\n") + "\n"
    }

    private var usage: [String] {
        let words = command.commands.isEmpty ? command.positionals.map(\.usage) : ["COMMAND"]
        return (["Usage: \(name) [options]"] + words).joined(separator: " ").wrapped(to: Self.width)
    }

    /// The discussion, with wrapped paragraphs. A paragraph with a line that begins with a space is an example or a
    /// table and is not wrapped.
    private var discussion: [[String]] {
        let lines = command.discussion.split(separator: "\n", omittingEmptySubsequences: false)
        return lines.split(separator: "").map { paragraph in
            paragraph.contains { $0.hasPrefix(" ") }
                ? paragraph.map(String.init)
                : paragraph.joined(separator: " ").wrapped(to: Self.width)
        }
    }

    private var optionRows: [(String, String)] {
        var rows = path.reversed().flatMap(\.options).map { (Self.entry($0), text(of: $0)) }
        rows.append(("-h, --help", "Show this help."))
        if path.count == 1 { rows.append(("    --version", "Show the version.")) }
        return rows
    }

    private static func entry(_ option: Parameter) -> String {
        let short = option.short.map { "-\($0), " } ?? "    "
        return short + option.label + (option.takesValue ? " \(option.valueName)" : "")
    }

    private func text(of parameter: Parameter) -> String {
        var text = parameter.help
        if case .words(let words) = parameter.completion { text += " One of: \(words.joined(separator: ", "))." }
        if let defaultText = parameter.defaultText { text += " Default: \(defaultText)." }
        if case .option(true) = parameter.kind { text += " May be repeated." }
        if let variable = parameter.environment { text += " [\(variable)]" }
        return text
    }

    private func table(_ title: String, _ rows: [(String, String)]) -> [String] {
        guard !rows.isEmpty else { return [] }
        let fitting = rows.map(\.0.count).filter { $0 <= Self.widestEntry }
        let column = 2 + (fitting.max() ?? Self.widestEntry) + 2
        return [title]
            + rows.flatMap { entry, text in
                let lines = text.wrapped(to: Self.width, indent: column)
                guard entry.count <= Self.widestEntry, let first = lines.first else { return ["  \(entry)"] + lines }
                return [("  " + entry).padded(to: column) + first.dropFirst(column)] + lines.dropFirst()
            }
    }
}
