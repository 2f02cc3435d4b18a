/// All remaining positional arguments. It must be declared last.
package struct RemainingArguments<Value: ArgumentValue>: ParameterDeclaring {
    /// The declaration without its type.
    package let parameter: Parameter

    /// Declares the remaining positional arguments.
    ///
    /// - Parameters:
    ///   - name: The placeholder of each argument, in capitals: `FILE`.
    ///   - type: The type of the values, when it cannot be inferred.
    ///   - atLeastOne: Whether at least one argument is required.
    ///   - completion: What a shell suggests for each. Default: the ``ArgumentValue/choices`` of the type.
    ///   - help: One sentence for the help text.
    package init(
        _ name: String, as type: Value.Type = Value.self, atLeastOne: Bool = false,
        completion: CompletionHint = .none, help: String
    ) {
        parameter = Parameter(
            kind: .positional(required: atLeastOne, repeats: true), name: name, help: help,
            completion: Parameter.hint(completion, for: type)
        ) { word throws(ArgumentValueError) in try Value(argument: word) }
    }
}
