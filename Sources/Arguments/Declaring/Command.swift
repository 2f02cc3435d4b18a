/// A command. It either has an action or contains other commands.
///
/// `Action` is a type of the program that describes what to do, usually an enumeration. Parsing creates a value of it
/// without running anything.
package struct Command<Action: Sendable>: Sendable {
    /// The name on the command line.
    package let name: String
    /// One line, shown next to the name.
    package let summary: String
    /// Paragraphs below the summary in the help of the command. Lines that begin with a space are not wrapped.
    package let discussion: String
    let parameters: [Parameter]
    let commands: [Command<Action>]
    let action: (@Sendable (Invocation) throws(ArgumentError) -> Action)?

    /// Declares a command with an action.
    ///
    /// - Parameters:
    ///   - name: The name on the command line.
    ///   - summary: One line, shown next to the name.
    ///   - discussion: Paragraphs below the summary.
    ///   - arguments: Options, flags and positional arguments. Positional arguments are parsed in this order.
    ///   - action: Creates the action from the parsed arguments. It may throw ``Invocation/usageError(_:)`` for a rule
    ///     that types cannot express.
    package init(
        _ name: String, _ summary: String, discussion: String = "", arguments: [any ParameterDeclaring] = [],
        action: @escaping @Sendable (Invocation) throws(ArgumentError) -> Action
    ) {
        self.name = name
        self.summary = summary
        self.discussion = discussion
        self.parameters = arguments.map(\.parameter)
        self.commands = []
        self.action = action
        checkDeclaration()
    }

    /// Declares a command that contains other commands.
    ///
    /// - Parameters:
    ///   - name: The name on the command line.
    ///   - summary: One line, shown next to the name.
    ///   - discussion: Paragraphs below the summary.
    ///   - options: Options and flags that all subcommands accept too, before or after their names.
    ///   - commands: The subcommands, in the order of the help text.
    package init(
        _ name: String, _ summary: String, discussion: String = "", options: [any ParameterDeclaring] = [],
        commands: [Command<Action>]
    ) {
        self.name = name
        self.summary = summary
        self.discussion = discussion
        self.parameters = options.map(\.parameter)
        self.commands = commands
        self.action = nil
        checkDeclaration()
    }

    var options: [Parameter] { parameters.filter { !$0.isPositional } }
    var positionals: [Parameter] { parameters.filter(\.isPositional) }

    private func checkDeclaration() {
        precondition(Set(parameters.map(\.label)).count == parameters.count, "'\(name)' declares a parameter twice")
        precondition(Set(commands.map(\.name)).count == commands.count, "'\(name)' declares a command twice")
        precondition(commands.isEmpty || positionals.isEmpty, "'\(name)' has commands and positionals")
        precondition(
            positionals.dropLast().allSatisfy { !$0.repeats }, "'\(name)' repeats a positional before the last")
        let firstOptional = positionals.firstIndex { !$0.isRequired } ?? positionals.endIndex
        precondition(
            positionals[firstOptional...].allSatisfy { !$0.isRequired },
            "'\(name)' has a required positional after an optional one")
    }
}
