/// All positional arguments from here on; it stands last.
public struct RemainingArguments<Value: ArgumentValue>: ParameterDeclaring {
    /// The declaration as parsing, help and completion see it.
    public let parameter: Parameter

    /// Declares the positionals from here on.
    ///
    /// - Parameters:
    ///   - name: The placeholder of each, in capitals: `FILE`.
    ///   - type: The type of the value, when it cannot be told from where the declaration stands.
    ///   - atLeastOne: Whether none is a mistake.
    ///   - completion: What a shell offers for each.
    ///   - help: One sentence.
    public init(
        _ name: String, as type: Value.Type = Value.self, atLeastOne: Bool = false,
        completion: CompletionHint = .none, help: String
    ) {
        parameter = Parameter(
            kind: .positional(required: atLeastOne, repeats: true), name: name, help: help,
            completion: Parameter.hint(completion, for: type)
        ) { word throws(ArgumentValueError) in try Value(argument: word) }
    }
}
