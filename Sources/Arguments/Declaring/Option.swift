/// An option with a value, at most once: `--name VALUE`, `--name=VALUE`, `-x VALUE`, `-xVALUE`.
public struct Option<Value: ArgumentValue>: ParameterDeclaring {
    /// The declaration as parsing, help and completion see it.
    public let parameter: Parameter

    /// Declares an option.
    ///
    /// - Parameters:
    ///   - name: The long name without dashes.
    ///   - short: One letter for `-x`, or none.
    ///   - value: The placeholder in help, such as `FILE`.
    ///   - type: The type of the value, when it cannot be told from where the declaration stands.
    ///   - environment: A variable that is read when the command line does not give the option.
    ///   - defaultText: What help says holds when neither does.
    ///   - completion: What a shell offers after it.
    ///   - help: One sentence.
    public init(
        _ name: String, short: Character? = nil, value: String, as type: Value.Type = Value.self,
        environment: String? = nil, defaultText: String? = nil, completion: CompletionHint = .none, help: String
    ) {
        parameter = Parameter(
            kind: .option(repeats: false), name: name, short: short, valueName: value, help: help,
            environment: environment, defaultText: defaultText, completion: Parameter.hint(completion, for: type)
        ) { word throws(ArgumentValueError) in try Value(argument: word) }
    }
}
