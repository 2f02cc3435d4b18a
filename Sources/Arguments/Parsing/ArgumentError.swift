/// A command line that cannot be followed.
///
/// Its message is one line for a person. The value of an unknown option and surplus words are never in it: they may be
/// a password in the wrong place.
public struct ArgumentError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What kind of mistake it is.
    public struct Code: Hashable, Sendable {
        private enum Kind { case unknownOption, unknownCommand, missing, unexpected, badValue, rule }
        private let kind: Kind

        /// An option that is not declared.
        public static let unknownOption = Code(kind: .unknownOption)
        /// A command that is not declared.
        public static let unknownCommand = Code(kind: .unknownCommand)
        /// A command, positional or value that must be there and is not.
        public static let missing = Code(kind: .missing)
        /// A word, value or repetition too many.
        public static let unexpected = Code(kind: .unexpected)
        /// A value that its type refuses.
        public static let badValue = Code(kind: .badValue)
        /// A rule of the program's own, from ``Invocation/mistake(_:)``.
        public static let rule = Code(kind: .rule)
    }

    /// What kind of mistake it is.
    public let code: Code
    /// The command it was made at, as typed: `latchd user add`.
    public let command: String
    /// What is wrong and, if known, the nearest right word; then where help is.
    public let message: String

    init(_ code: Code, at command: String, _ problem: String) {
        self.code = code
        self.command = command
        self.message = "\(command): \(problem)\(problem.hasSuffix("?") ? "" : ".") See '\(command) --help'."
    }

    /// The message.
    public var description: String { message }
}
