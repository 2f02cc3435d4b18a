/// The error of a configuration that cannot be used. It contains all mistakes, not only the first.
package struct ConfigurationError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kinds of configuration errors.
    package struct Code: Hashable, Sendable {
        private enum Kind { case noFile, mistakes }
        private let kind: Kind

        /// The file does not exist or cannot be read.
        package static let noFile = Code(kind: .noFile)
        /// The file or the environment contains mistakes.
        package static let mistakes = Code(kind: .mistakes)
    }

    /// The kind of the error.
    package let code: Code
    /// All mistakes: those of the file in the order of its lines, then those of the environment, then those between
    /// values. Empty when the file cannot be read.
    package let mistakes: [ConfigurationMistake]
    /// The mistakes, one in each line, or the reason why the file cannot be read.
    package let message: String

    package init(mistakes: [ConfigurationMistake]) {
        code = .mistakes
        self.mistakes = mistakes
        message = mistakes.map(\.description).joined(separator: "\n")
    }

    package init(noFile message: String) {
        code = .noFile
        mistakes = []
        self.message = message
    }

    /// The same as ``message``.
    package var description: String { message }
}
