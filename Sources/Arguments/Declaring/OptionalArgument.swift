/// An optional positional argument. It must follow all required ones.
package struct OptionalArgument<Value: ArgumentValue>: ParameterDeclaring {
    /// The declaration without its type.
    package let parameter: Parameter

    /// Declares an optional positional argument.
    ///
    /// - Parameters:
    ///   - name: The placeholder, in capitals: `ADDRESS`.
    ///   - type: The type of the value, when it cannot be inferred.
    ///   - completion: What a shell suggests for the value. Default: the ``ArgumentValue/choices`` of the type.
    ///   - help: One sentence for the help text.
    package init(
        _ name: String, as type: Value.Type = Value.self, completion: CompletionHint = .none, help: String
    ) {
        parameter = Parameter(
            kind: .positional(required: false, repeats: false), name: name, help: help,
            completion: Parameter.hint(completion, for: type)
        ) { word throws(ArgumentValueError) in try Value(argument: word) }
    }
}
