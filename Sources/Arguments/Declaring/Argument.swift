/// A positional argument that must be there.
public struct Argument<Value: ArgumentValue>: ParameterDeclaring {
    /// The declaration as parsing, help and completion see it.
    public let parameter: Parameter

    /// Declares a required positional.
    ///
    /// - Parameters:
    ///   - name: The placeholder, in capitals: `EMAIL`.
    ///   - type: The type of the value, when it cannot be told from where the declaration stands.
    ///   - completion: What a shell offers in its place.
    ///   - help: One sentence.
    public init(
        _ name: String, as type: Value.Type = Value.self, completion: CompletionHint = .none, help: String
    ) {
        parameter = Parameter(
            kind: .positional(required: true, repeats: false), name: name, help: help,
            completion: Parameter.hint(completion, for: type)
        ) { word throws(ArgumentValueError) in try Value(argument: word) }
    }
}
