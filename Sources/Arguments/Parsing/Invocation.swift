/// The parsed arguments of a command. They are accessed with the declarations: `given[email]`.
package struct Invocation: Sendable {
    /// The full name of the command, such as `latchd user add`.
    package let command: String
    var values: [String: [any Sendable]] = [:]

    init(command: String) {
        self.command = command
    }

    /// Whether the flag was set on the command line or by its environment variable.
    package subscript(flag: Flag) -> Bool {
        values(of: flag.parameter, as: Bool.self).last ?? false
    }

    /// The value of the option. Nil when neither the command line nor the environment gives it.
    package subscript<Value>(option: Option<Value>) -> Value? {
        values(of: option.parameter, as: Value.self).last
    }

    /// The values of the option, in order.
    package subscript<Value>(option: OptionList<Value>) -> [Value] {
        values(of: option.parameter, as: Value.self)
    }

    /// The value of the positional argument.
    package subscript<Value>(argument: Argument<Value>) -> Value {
        guard let value = values(of: argument.parameter, as: Value.self).first else {
            preconditionFailure("'\(command)' does not declare \(argument.parameter.label)")
        }
        return value
    }

    /// The value of the positional argument. Nil when it was omitted.
    package subscript<Value>(argument: OptionalArgument<Value>) -> Value? {
        values(of: argument.parameter, as: Value.self).first
    }

    /// The remaining positional arguments, in order.
    package subscript<Value>(arguments: RemainingArguments<Value>) -> [Value] {
        values(of: arguments.parameter, as: Value.self)
    }

    /// Returns an error about this command line, for a rule that types cannot express.
    ///
    /// - Parameter problem: A phrase without a full stop, such as "give either ID or --all".
    /// - Returns: An error with the code ``ArgumentError/Code/rule``. Its message names the command and how to get
    ///   help.
    package func usageError(_ problem: String) -> ArgumentError {
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
