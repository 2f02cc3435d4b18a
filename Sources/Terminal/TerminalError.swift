/// Something that was to be asked of a person, or read from standard input, and could not be.
public struct TerminalError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What kind of failure it is.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Base: String { case noTerminal, noInput, invalidInput, usage }
        private let base: Base

        /// There is no terminal to ask at.
        public static let noTerminal = Code(base: .noTerminal)
        /// The input ended before an answer came, or cannot be read.
        public static let noInput = Code(base: .noInput)
        /// The input cannot be what was asked for.
        public static let invalidInput = Code(base: .invalidInput)
        /// The program was asked to read where there is nothing to read from.
        public static let usage = Code(base: .usage)

        /// The code's name.
        public var description: String { base.rawValue }
    }

    /// The kind of failure.
    public let code: Code
    /// One sentence for a person, without what was typed.
    public let message: String

    /// Makes an error.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The message.
    public var description: String { message }
}
