/// One option, flag or positional argument without its type: what parsing, help and completion need to know.
///
/// Made by ``Flag``, ``Option``, ``OptionList``, ``Argument``, ``OptionalArgument`` and ``RemainingArguments``.
public struct Parameter: Sendable {
    /// How a parameter stands on the command line.
    enum Kind: Sendable, Equatable {
        /// `--name`
        case flag
        /// `--name VALUE`
        case option(repeats: Bool)
        /// A word by its place. Only the last may repeat.
        case positional(required: Bool, repeats: Bool)
    }

    let kind: Kind
    /// The long name without dashes, or a positional's placeholder such as `EMAIL`.
    let name: String
    var short: Character?
    /// The placeholder of an option's value, such as `FILE`.
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

    /// What a person types: `--name` or `EMAIL`.
    var label: String { isPositional ? name : "--\(name)" }

    /// `EMAIL`, `[EMAIL]`, `FILE...`, `[FILE...]`, as a usage line shows a positional.
    var usage: String {
        let word = repeats ? "\(name)..." : name
        return isRequired ? word : "[\(word)]"
    }

    /// What to complete: the hint, or the type's own words.
    static func hint<Value: ArgumentValue>(_ given: CompletionHint, for type: Value.Type) -> CompletionHint {
        given == .none && !type.choices.isEmpty ? .words(type.choices) : given
    }
}

/// A typed declaration that stands for one ``Parameter``.
public protocol ParameterDeclaring: Sendable {
    /// The declaration without its type.
    var parameter: Parameter { get }
}
