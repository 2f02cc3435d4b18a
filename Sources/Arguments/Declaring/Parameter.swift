/// An option, flag or positional argument without its type, as parsing, help and completion use it.
///
/// Created by ``Flag``, ``Option``, ``OptionList``, ``Argument``, ``OptionalArgument`` and ``RemainingArguments``.
package struct Parameter: Sendable {
    /// How a parameter appears on the command line.
    enum Kind: Sendable, Equatable {
        /// A flag: `--name`.
        case flag
        /// An option with a value: `--name VALUE`.
        case option(repeats: Bool)
        /// A word at a fixed position. Only the last one may repeat.
        case positional(required: Bool, repeats: Bool)
    }

    let kind: Kind
    /// The long name without dashes, or the placeholder of a positional argument, such as `EMAIL`.
    let name: String
    var short: Character?
    /// The placeholder of the option's value, such as `FILE`.
    var valueName = ""
    let help: String
    var environment: String?
    var defaultText: String?
    var completion = CompletionHint.none
    let read: @Sendable (String) throws(ArgumentValueError) -> any Sendable

    var isPositional: Bool {
        if case .positional = kind { true } else { false }
    }

    var takesValue: Bool { kind != .flag }

    var repeats: Bool {
        switch kind {
        case .flag: false
        case .option(let repeats), .positional(_, let repeats): repeats
        }
    }

    var isRequired: Bool {
        if case .positional(true, _) = kind { true } else { false }
    }

    /// The parameter as it appears on the command line: `--name` or `EMAIL`.
    var label: String { isPositional ? name : "--\(name)" }

    /// A positional argument as it appears in a usage line: `EMAIL`, `[EMAIL]`, `FILE...` or `[FILE...]`.
    var usage: String {
        let word = repeats ? "\(name)..." : name
        return isRequired ? word : "[\(word)]"
    }

    /// Returns the given hint, or the choices of the type when there is no hint.
    static func hint<Value: ArgumentValue>(_ given: CompletionHint, for type: Value.Type) -> CompletionHint {
        given == .none && !type.choices.isEmpty ? .words(type.choices) : given
    }
}

/// A typed declaration of a ``Parameter``.
package protocol ParameterDeclaring: Sendable {
    /// The declaration without its type.
    var parameter: Parameter { get }
}
