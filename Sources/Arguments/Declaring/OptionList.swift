/// An option with a value that may occur any number of times: `--header A --header B`.
package struct OptionList<Value: ArgumentValue>: ParameterDeclaring {
    /// The declaration without its type.
    package let parameter: Parameter

    /// Declares a repeatable option.
    ///
    /// - Parameters:
    ///   - name: The long name, without dashes.
    ///   - short: The letter of the short form `-x`. Nil for no short form.
    ///   - value: The placeholder in the help text, such as `HEADER`.
    ///   - type: The type of the value, when it cannot be inferred.
    ///   - completion: What a shell suggests for the value. Default: the ``ArgumentValue/choices`` of the type.
    ///   - help: One sentence for the help text.
    package init(
        _ name: String, short: Character? = nil, value: String, as type: Value.Type = Value.self,
        completion: CompletionHint = .none, help: String
    ) {
        parameter = Parameter(
            kind: .option(repeats: true), name: name, short: short, valueName: value, help: help,
            completion: Parameter.hint(completion, for: type)
        ) { word throws(ArgumentValueError) in try Value(argument: word) }
    }
}
