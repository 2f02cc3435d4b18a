/// An option with a value that may occur once: `--name VALUE`, `--name=VALUE`, `-x VALUE`, `-xVALUE`.
package struct Option<Value: ArgumentValue>: ParameterDeclaring {
    /// The declaration without its type.
    package let parameter: Parameter

    /// Declares an option.
    ///
    /// - Parameters:
    ///   - name: The long name, without dashes.
    ///   - short: The letter of the short form `-x`. Nil for no short form.
    ///   - value: The placeholder in the help text, such as `FILE`.
    ///   - type: The type of the value, when it cannot be inferred.
    ///   - environment: An environment variable to read when the command line does not give the option.
    ///   - defaultText: The default value as the help text shows it.
    ///   - completion: What a shell suggests for the value. Default: the ``ArgumentValue/choices`` of the type.
    ///   - help: One sentence for the help text.
    package init(
        _ name: String, short: Character? = nil, value: String, as type: Value.Type = Value.self,
        environment: String? = nil, defaultText: String? = nil, completion: CompletionHint = .none, help: String
    ) {
        parameter = Parameter(
            kind: .option(repeats: false), name: name, short: short, valueName: value, help: help,
            environment: environment, defaultText: defaultText, completion: Parameter.hint(completion, for: type)
        ) { word throws(ArgumentValueError) in try Value(argument: word) }
    }
}
