/// A configuration that cannot be run by; it tells every mistake, not the first.
public struct ConfigurationError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What kind of refusal it is.
    public struct Code: Hashable, Sendable {
        private enum Kind { case noFile, mistakes }
        private let kind: Kind

        /// The file is not there or cannot be read.
        public static let noFile = Code(kind: .noFile)
        /// Something in it, or in the environment, is wrong.
        public static let mistakes = Code(kind: .mistakes)
    }

    /// What kind of refusal it is.
    public let code: Code
    /// Every mistake: those of the file in the order of its lines, then those of the environment, then those between
    /// values. Empty when there is no file.
    public let mistakes: [ConfigurationMistake]
    /// A line for each mistake.
    public let message: String

    init(mistakes: [ConfigurationMistake]) {
        code = .mistakes
        self.mistakes = mistakes
        message = mistakes.map(\.description).joined(separator: "\n")
    }

    init(noFile message: String) {
        code = .noFile
        mistakes = []
        self.message = message
    }

    /// The message.
    public var description: String { message }
}
