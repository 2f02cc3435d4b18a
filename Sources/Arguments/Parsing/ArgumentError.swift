/// An error in a command line.
///
/// The message is one line for people. It never contains the value of an unknown option or surplus words, because they
/// may be a misplaced password.
public struct ArgumentError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kind of error.
    public struct Code: Hashable, Sendable {
        private enum Kind { case unknownOption, unknownCommand, missing, unexpected, badValue, rule }
        private let kind: Kind

        /// An unknown option.
        public static let unknownOption = Code(kind: .unknownOption)
        /// An unknown command.
        public static let unknownCommand = Code(kind: .unknownCommand)
        /// A required command, argument or value is missing.
        public static let missing = Code(kind: .missing)
        /// There is an extra word, value or repetition.
        public static let unexpected = Code(kind: .unexpected)
        /// A value is not valid for its type.
        public static let badValue = Code(kind: .badValue)
        /// A violation of a rule of the program, from ``Invocation/mistake(_:)``.
        public static let rule = Code(kind: .rule)
    }

    /// The kind of error.
    public let code: Code
    /// The full name of the command with the error, such as `latchd user add`.
    public let command: String
    /// The problem, a spelling suggestion if there is one, and how to get help.
    public let message: String

    init(_ code: Code, at command: String, _ problem: String) {
        self.code = code
        self.command = command
        self.message = "\(command): \(problem)\(problem.hasSuffix("?") ? "" : ".") See '\(command) --help'."
    }

    /// The same as ``message``.
    public var description: String { message }
}
