/// A type that can be parsed from one word of the command line.
///
/// An enumeration with string raw values needs no code: declare conformance to `ArgumentValue` and `CaseIterable`. Its
/// raw values are then the accepted words in parsing, help, errors and completions.
package protocol ArgumentValue: Sendable {
    /// Parses one word.
    ///
    /// - Throws: ``ArgumentValueError`` with a phrase that completes "is not …", such as "a whole number".
    init(argument: String) throws(ArgumentValueError)

    /// The accepted words, in display order. Empty, the default, when any word may be valid.
    static var choices: [String] { get }
}

extension ArgumentValue {
    /// An empty list: any word may be valid.
    package static var choices: [String] { [] }
}

/// An error with the expected value, as a phrase that completes "is not …".
package struct ArgumentValueError: Error, Equatable, Sendable {
    /// The phrase, such as "a whole number from 1 to 9".
    package let expected: String

    /// Creates an error with the expected value.
    package init(expected: String) {
        self.expected = expected
    }
}

extension String: ArgumentValue {
    /// Uses the word unchanged, even when it is empty.
    package init(argument: String) {
        self = argument
    }
}

extension Int: ArgumentValue {
    /// Parses a decimal integer with an optional sign.
    package init(argument: String) throws(ArgumentValueError) {
        guard let number = Int(argument) else { throw ArgumentValueError(expected: "a whole number") }
        self = number
    }
}

extension Double: ArgumentValue {
    /// Parses a finite number.
    package init(argument: String) throws(ArgumentValueError) {
        guard let number = Double(argument), number.isFinite else { throw ArgumentValueError(expected: "a number") }
        self = number
    }
}

extension ArgumentValue where Self: RawRepresentable & CaseIterable, RawValue == String {
    /// Parses the raw value of a case.
    package init(argument: String) throws(ArgumentValueError) {
        guard let value = Self(rawValue: argument) else {
            throw ArgumentValueError(expected: "one of \(Self.choices.joined(separator: ", "))")
        }
        self = value
    }

    /// The raw values of all cases, in declaration order.
    package static var choices: [String] { allCases.map(\.rawValue) }
}
