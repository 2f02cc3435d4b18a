/// An error in an OAuth message. It never contains a code or a token.
package struct OAuthError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of an error, for decisions by callers.
    package struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Base: String { case invalidAddress, otherRedirect, stateMismatch, issuerMismatch, malformed }
        private let base: Base

        /// An endpoint is not an absolute web URL.
        package static let invalidAddress = Code(base: .invalidAddress)
        /// The address of the callback differs from the requested redirect address.
        package static let otherRedirect = Code(base: .otherRedirect)
        /// The callback's `state` is missing or different.
        package static let stateMismatch = Code(base: .stateMismatch)
        /// The callback's `iss`, or the resource in metadata, is missing or different.
        package static let issuerMismatch = Code(base: .issuerMismatch)
        /// A parameter is missing, repeated or malformed.
        package static let malformed = Code(base: .malformed)

        /// The name of the code.
        package var description: String { base.rawValue }
    }

    /// The kind of the error.
    package let code: Code
    /// A text that says what happened, to what, and what to do.
    package let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The message.
    package var description: String { message }
}
