/// An error in a YAML file.
package struct YAMLError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kind of error.
    package struct Code: Hashable, Sendable {
        private enum Kind { case syntax, encoding, duplicateKey, unsupported, tooLarge }
        private let kind: Kind

        /// The file is not valid YAML.
        package static let syntax = Code(kind: .syntax)
        /// The file is not valid UTF-8, or contains a control character.
        package static let encoding = Code(kind: .encoding)
        /// A mapping contains the same key twice.
        package static let duplicateKey = Code(kind: .duplicateKey)
        /// The file uses a part of YAML that is not supported: tags, a second document or keys that are not scalars.
        package static let unsupported = Code(kind: .unsupported)
        /// The file is too long, too deeply nested or has too many nodes.
        package static let tooLarge = Code(kind: .tooLarge)
    }

    /// The kind of error.
    package let code: Code
    /// The position of the error.
    package let mark: YAMLMark
    /// The problem without its position: a phrase that begins with a lower-case letter and has no full stop.
    package let problem: String

    init(_ code: Code, at mark: YAMLMark, _ problem: String) {
        self.code = code
        self.mark = mark
        self.problem = problem
    }

    /// The problem and its position, as one sentence.
    package var message: String { "Could not read the YAML at \(mark): \(problem)." }

    /// The same as ``message``.
    package var description: String { message }
}
