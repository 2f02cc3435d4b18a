/// A positional argument that may be left out; it stands after every required one.
public struct OptionalArgument<Value: ArgumentValue>: ParameterDeclaring {
    /// The declaration as parsing, help and completion see it.
    public let parameter: Parameter

    /// Declares an optional positional.
    ///
    /// - Parameters:
    ///   - name: The placeholder, in capitals: `ADDRESS`.
    ///   - type: The type of the value, when it cannot be told from where the declaration stands.
    ///   - completion: What a shell offers in its place.
    ///   - help: One sentence.
    public init(
        _ name: String, as type: Value.Type = Value.self, completion: CompletionHint = .none, help: String
    ) {
        parameter = Parameter(
            kind: .positional(required: false, repeats: false), name: name, help: help,
            completion: Parameter.hint(completion, for: type)
        ) { word throws(ArgumentValueError) in try Value(argument: word) }
    }
}
