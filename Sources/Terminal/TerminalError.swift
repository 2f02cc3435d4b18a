/// An error of prompting a person or reading standard input.
public struct TerminalError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kind of failure.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Base: String { case noTerminal, noInput, invalidInput, usage }
        private let base: Base

        /// There is no terminal to prompt on.
        public static let noTerminal = Code(base: .noTerminal)
        /// The input ended before an answer was read, or cannot be read.
        public static let noInput = Code(base: .noInput)
        /// The input is not valid.
        public static let invalidInput = Code(base: .invalidInput)
        /// An option requested standard input, but standard input is a terminal.
        public static let usage = Code(base: .usage)

        /// The name of the code.
        public var description: String { base.rawValue }
    }

    /// The kind of failure.
    public let code: Code
    /// A sentence for people, without the typed text.
    public let message: String

    /// Creates an error.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The same as ``message``.
    public var description: String { message }
}
