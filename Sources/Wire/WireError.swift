/// A message from outside that cannot be read.
///
/// Two errors are equal when code and message are.
public struct WireError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What kind of mistake it is.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Base: String { case malformed, tooLarge }
        private let base: Base

        /// The bytes do not follow the format.
        public static let malformed = Code(base: .malformed)
        /// The bytes follow the format and go past a stated limit.
        public static let tooLarge = Code(base: .tooLarge)

        /// The code's name.
        public var description: String { base.rawValue }
    }

    /// The kind of mistake.
    public let code: Code
    /// One sentence: what was read and what is wrong with it. Never quotes the bytes.
    public let message: String

    /// Makes an error; `message` must not quote what came from outside, which may hold a secret.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The message.
    public var description: String { message }
}
