/// A type that one word of a command line can be read as.
///
/// An enumeration over strings needs no code: declare `ArgumentValue` beside `CaseIterable` and its raw values become
/// the accepted words, in help, in errors and in completions.
public protocol ArgumentValue: Sendable {
    /// Reads one word.
    ///
    /// - Throws: ``ArgumentValueError`` whose reason completes "is not …", such as "a whole number".
    init(argument: String) throws(ArgumentValueError)

    /// The only words that are accepted, in the order to show them; empty when any may be.
    static var choices: [String] { get }
}

extension ArgumentValue {
    /// No fixed list of words.
    public static var choices: [String] { [] }
}

/// What a word should have been, as a phrase that completes "is not …".
public struct ArgumentValueError: Error, Equatable, Sendable {
    /// The phrase, such as "a whole number from 1 to 9".
    public let expected: String

    /// Makes the error from what was expected.
    public init(expected: String) {
        self.expected = expected
    }
}

extension String: ArgumentValue {
    /// Takes the word as it is, also when it is empty.
    public init(argument: String) {
        self = argument
    }
}

extension Int: ArgumentValue {
    /// Reads a whole number in decimal, with an optional sign.
    public init(argument: String) throws(ArgumentValueError) {
        guard let number = Int(argument) else { throw ArgumentValueError(expected: "a whole number") }
        self = number
    }
}

extension Double: ArgumentValue {
    /// Reads a finite number.
    public init(argument: String) throws(ArgumentValueError) {
        guard let number = Double(argument), number.isFinite else { throw ArgumentValueError(expected: "a number") }
        self = number
    }
}

extension ArgumentValue where Self: RawRepresentable & CaseIterable, RawValue == String {
    /// Reads the raw value of one case.
    public init(argument: String) throws(ArgumentValueError) {
        guard let value = Self(rawValue: argument) else {
            throw ArgumentValueError(expected: "one of \(Self.choices.joined(separator: ", "))")
        }
        self = value
    }

    /// The raw values of all cases, in their order.
    public static var choices: [String] { allCases.map(\.rawValue) }
}
