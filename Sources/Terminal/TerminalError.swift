/// An error of prompting a person or reading standard input.
package struct TerminalError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kind of failure.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Base: String { case noTerminal, noInput, invalidInput, usage }
        private let base: Base

        /// There is no terminal to prompt on.
        package static let noTerminal = Code(base: .noTerminal)
        /// The input ended before an answer was read, or cannot be read.
        package static let noInput = Code(base: .noInput)
        /// The input is not valid.
        package static let invalidInput = Code(base: .invalidInput)
        /// An option requested standard input, but standard input is a terminal.
        package static let usage = Code(base: .usage)

        /// The name of the code.
        package var description: String { base.rawValue }
    }

    /// The kind of failure.
    package let code: Code
    /// A sentence for people, without the typed text.
    package let message: String

    /// Creates an error.
    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The same as ``message``.
    package var description: String { message }
}
