/// A YAML file that cannot be read.
public struct YAMLError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What kind of mistake it is.
    public struct Code: Hashable, Sendable {
        private enum Kind { case syntax, encoding, duplicateKey, unsupported, tooLarge }
        private let kind: Kind

        /// It is no YAML.
        public static let syntax = Code(kind: .syntax)
        /// It is no UTF-8, or holds a control character.
        public static let encoding = Code(kind: .encoding)
        /// A mapping holds a key twice.
        public static let duplicateKey = Code(kind: .duplicateKey)
        /// It is YAML, but not the part of it that is read: tags, a second document, keys that are no scalars.
        public static let unsupported = Code(kind: .unsupported)
        /// It is too long, too deep or has too many nodes.
        public static let tooLarge = Code(kind: .tooLarge)
    }

    /// What kind of mistake it is.
    public let code: Code
    /// Where it is.
    public let mark: YAMLMark
    /// What is wrong, without the place: a phrase that begins in lower case and ends without a full stop.
    public let problem: String

    init(_ code: Code, at mark: YAMLMark, _ problem: String) {
        self.code = code
        self.mark = mark
        self.problem = problem
    }

    /// What is wrong and where, one sentence.
    public var message: String { "Could not read the YAML at \(mark): \(problem)." }

    /// The message.
    public var description: String { message }
}
