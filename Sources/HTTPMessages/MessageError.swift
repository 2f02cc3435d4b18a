/// An error in a message from outside that cannot be read.
///
/// Two errors are equal when their codes and messages are equal.
package struct MessageError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kind of error.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Base: String { case malformed, tooLarge }
        private let base: Base

        /// The bytes do not follow the format.
        package static let malformed = Code(base: .malformed)
        /// The bytes follow the format but exceed a documented limit.
        package static let tooLarge = Code(base: .tooLarge)

        /// The name of the code.
        package var description: String { base.rawValue }
    }

    /// The kind of error.
    package let code: Code
    /// One sentence that tells what was read and what is wrong with it. Never quotes the bytes.
    package let message: String

    /// Creates an error. `message` must not quote the message from outside, which may contain a secret.
    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The ``message``.
    package var description: String { message }
}
