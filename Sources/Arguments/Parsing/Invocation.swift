/// What a command line gave to one command, read by the declarations themselves: `given[email]`.
public struct Invocation: Sendable {
    /// The command's full name, such as `latchd user add`.
    public let command: String
    var values: [String: [any Sendable]] = [:]

    init(command: String) {
        self.command = command
    }

    /// Whether the flag was given, or its variable turned it on.
    public subscript(flag: Flag) -> Bool {
        values(of: flag.parameter, as: Bool.self).last ?? false
    }

    /// The option's value; nil when neither the command line nor the environment gave it.
    public subscript<Value>(option: Option<Value>) -> Value? {
        values(of: option.parameter, as: Value.self).last
    }

    /// The option's values in their order.
    public subscript<Value>(option: OptionList<Value>) -> [Value] {
        values(of: option.parameter, as: Value.self)
    }

    /// The positional's value.
    public subscript<Value>(argument: Argument<Value>) -> Value {
        guard let value = values(of: argument.parameter, as: Value.self).first else {
            preconditionFailure("'\(command)' does not declare \(argument.parameter.label)")
        }
        return value
    }

    /// The positional's value; nil when it was left out.
    public subscript<Value>(argument: OptionalArgument<Value>) -> Value? {
        values(of: argument.parameter, as: Value.self).first
    }

    /// The remaining positionals in their order.
    public subscript<Value>(arguments: RemainingArguments<Value>) -> [Value] {
        values(of: arguments.parameter, as: Value.self)
    }

    /// An error about this command line, for a rule that types cannot say.
    ///
    /// - Parameter problem: A phrase without a full stop, such as "give either ID or --all".
    /// - Returns: An error with the code ``ArgumentError/Code/rule`` that names the command and where help is.
    public func mistake(_ problem: String) -> ArgumentError {
        ArgumentError(.rule, at: command, problem)
    }

    private func values<Value>(of parameter: Parameter, as type: Value.Type) -> [Value] {
        (values[parameter.label] ?? []).map { value in
            guard let typed = value as? Value else {
                preconditionFailure("two declarations of \(parameter.label) differ in type")
            }
            return typed
        }
    }
}
