/// A switch: `--name`, or `-x`, without a value.
public struct Flag: ParameterDeclaring {
    /// The declaration as parsing, help and completion see it.
    public let parameter: Parameter

    /// Declares a flag.
    ///
    /// - Parameters:
    ///   - name: The long name without dashes.
    ///   - short: One letter for `-x`, or none.
    ///   - environment: A variable that turns it on (`1`, `true`, `yes`, `on`) when the command line does not.
    ///   - help: One sentence.
    public init(_ name: String, short: Character? = nil, environment: String? = nil, help: String) {
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
