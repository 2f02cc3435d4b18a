/// One command: either it does something, or it gathers other commands.
///
/// `Action` is the program's own type for "what to do", most often an enumeration; parsing makes one and does nothing.
public struct Command<Action: Sendable>: Sendable {
    /// The word that a person types.
    public let name: String
    /// One line, shown beside the name.
    public let summary: String
    /// Paragraphs under the summary in the command's own help; lines that begin with a space are kept as they are.
    public let discussion: String
    let parameters: [Parameter]
    let commands: [Command<Action>]
    let action: (@Sendable (Invocation) throws(ArgumentError) -> Action)?

    /// Declares a command that does something.
    ///
    /// - Parameters:
    ///   - name: The word that a person types.
    ///   - summary: One line, shown beside the name.
    ///   - discussion: Paragraphs under the summary.
    ///   - arguments: Options, flags and positionals; positionals in their order.
    ///   - action: Makes the action from what was given. For a rule that types cannot say it may throw
    ///     ``Invocation/mistake(_:)``.
    public init(
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

    /// Declares a command that gathers others.
    ///
    /// - Parameters:
    ///   - name: The word that a person types.
    ///   - summary: One line, shown beside the name.
    ///   - discussion: Paragraphs under the summary.
    ///   - options: Options and flags that every command below takes too, before or after its name.
    ///   - commands: In the order in which help lists them.
    public init(
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
