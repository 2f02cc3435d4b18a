/// A flag without a value: `--name` or `-x`.
package struct Flag: ParameterDeclaring {
    /// The declaration without its type.
    package let parameter: Parameter

    /// Declares a flag.
    ///
    /// - Parameters:
    ///   - name: The long name, without dashes.
    ///   - short: The letter of the short form `-x`. Nil for no short form.
    ///   - environment: An environment variable that sets the flag (`1`, `true`, `yes`, `on`) when the command line
    ///     does not.
    ///   - help: One sentence for the help text.
    package init(_ name: String, short: Character? = nil, environment: String? = nil, help: String) {
        parameter = Parameter(
            kind: .flag, name: name, short: short, help: help, environment: environment
        ) { word throws(ArgumentValueError) in
            switch word.lowercased() {
            case "1", "true", "yes", "on": true
            case "0", "false", "no", "off": false
            default: throw ArgumentValueError(expected: "one of true, false")
            }
        }
    }
}
