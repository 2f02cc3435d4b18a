/// An error in a command line.
///
/// The message is one line for people. It never contains the value of an unknown option or surplus words, because they
/// may be a misplaced password.
package struct ArgumentError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kind of error.
    package struct Code: Hashable, Sendable {
        private enum Kind { case unknownOption, unknownCommand, missing, unexpected, badValue, rule }
        private let kind: Kind

        /// An unknown option.
        package static let unknownOption = Code(kind: .unknownOption)
        /// An unknown command.
        package static let unknownCommand = Code(kind: .unknownCommand)
        /// A required command, argument or value is missing.
        package static let missing = Code(kind: .missing)
        /// There is an extra word, value or repetition.
        package static let unexpected = Code(kind: .unexpected)
        /// A value is not valid for its type.
        package static let badValue = Code(kind: .badValue)
        /// A violation of a rule of the program, from ``Invocation/usageError(_:)``.
        package static let rule = Code(kind: .rule)
    }

    /// The kind of error.
    package let code: Code
    /// The full name of the command with the error, such as `latchd user add`.
    package let command: String
    /// The problem, a spelling suggestion if there is one, and how to get help.
    package let message: String

    init(_ code: Code, at command: String, _ problem: String) {
        self.code = code
        self.command = command
        self.message = "\(command): \(problem)\(problem.hasSuffix("?") ? "" : ".") See '\(command) --help'."
    }

    /// The same as ``message``.
    package var description: String { message }
}
