/// Why a message of OAuth was refused; never holds a code or a token.
public struct OAuthError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of mistake, to decide by.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Base: String { case invalidAddress, otherRedirect, stateMismatch, issuerMismatch, malformed }
        private let base: Base

        /// An endpoint or callback is no absolute URL.
        public static let invalidAddress = Code(base: .invalidAddress)
        /// The callback came to another address than asked for.
        public static let otherRedirect = Code(base: .otherRedirect)
        /// The callback's `state` is missing or another.
        public static let stateMismatch = Code(base: .stateMismatch)
        /// The callback's `iss` is missing or another.
        public static let issuerMismatch = Code(base: .issuerMismatch)
        /// A parameter is missing, twice there or of the wrong form.
        public static let malformed = Code(base: .malformed)

        /// The code's name.
        public var description: String { base.rawValue }
    }

    /// The kind of mistake.
    public let code: Code
    /// What happened, to what, and what to do.
    public let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The message.
    public var description: String { message }
}
