/// An option that may be given any number of times, each with a value: `--header A --header B`.
public struct OptionList<Value: ArgumentValue>: ParameterDeclaring {
    /// The declaration as parsing, help and completion see it.
    public let parameter: Parameter

    /// Declares a repeatable option.
    ///
    /// - Parameters:
    ///   - name: The long name without dashes.
    ///   - short: One letter for `-x`, or none.
    ///   - value: The placeholder in help, such as `HEADER`.
    ///   - type: The type of the value, when it cannot be told from where the declaration stands.
    ///   - completion: What a shell offers after it.
    ///   - help: One sentence.
    public init(
        _ name: String, short: Character? = nil, value: String, as type: Value.Type = Value.self,
        completion: CompletionHint = .none, help: String
    ) {
        parameter = Parameter(
            kind: .option(repeats: true), name: name, short: short, valueName: value, help: help,
            completion: Parameter.hint(completion, for: type)
        ) { word throws(ArgumentValueError) in try Value(argument: word) }
    }
}
