/// A required positional argument.
package struct Argument<Value: ArgumentValue>: ParameterDeclaring {
    /// The declaration without its type.
    package let parameter: Parameter

    /// Declares a required positional argument.
    ///
    /// - Parameters:
    ///   - name: The placeholder, in capitals: `EMAIL`.
    ///   - type: The type of the value, when it cannot be inferred.
    ///   - completion: What a shell suggests for the value. Default: the ``ArgumentValue/choices`` of the type.
    ///   - help: One sentence for the help text.
    package init(
        _ name: String, as type: Value.Type = Value.self, completion: CompletionHint = .none, help: String
    ) {
        parameter = Parameter(
            kind: .positional(required: true, repeats: false), name: name, help: help,
            completion: Parameter.hint(completion, for: type)
        ) { word throws(ArgumentValueError) in try Value(argument: word) }
    }
}
