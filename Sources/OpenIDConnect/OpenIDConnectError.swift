/// An error of a sign-in at an identity provider. It never contains a code, a token or a secret.
public struct OpenIDConnectError: Error, Sendable, CustomStringConvertible {
    /// The kind of an error, for decisions by callers.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Base: String {
            case denied, refused, unreachable, badAnswer, badToken, oldSignIn, untoldSignIn, misconfigured
        }
        private let base: Base

        /// The person did not consent, or cancelled.
        public static let denied = Code(base: .denied)
        /// The provider responded with an error, which is in ``OpenIDConnectError/providerError``.
        public static let refused = Code(base: .refused)
        /// The provider cannot be reached or reports that it is out of order. A later attempt may succeed.
        public static let unreachable = Code(base: .unreachable)
        /// The response does not conform to the standard, or comes from another sender.
        public static let badAnswer = Code(base: .badAnswer)
        /// A token or a UserInfo response is not valid.
        public static let badToken = Code(base: .badToken)
        /// A new sign-in was required, but the person's last sign-in was earlier.
        public static let oldSignIn = Code(base: .oldSignIn)
        /// A new sign-in was required, but the provider does not say when the person signed in.
        public static let untoldSignIn = Code(base: .untoldSignIn)
        /// The configuration is invalid.
        public static let misconfigured = Code(base: .misconfigured)

        /// The name of the code.
        public var description: String { base.rawValue }
    }

    /// The kind of the error.
    public let code: Code
    /// A sentence that says what happened, to what, and what to do. It does not contain ``providerDescription``.
    public let message: String
    /// The provider's `error`, such as `access_denied`. Nil when the provider sent none.
    public let providerError: String?
    /// The provider's `error_description` in printable ASCII, at most 200 characters. Nil when the provider sent none.
    public let providerDescription: String?
    /// The underlying error. Nil when there is none.
    public let cause: (any Error)?

    init(
        _ code: Code, _ message: String, error: ProviderErrorText? = nil, cause: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        providerError = error?.code
        providerDescription = error?.description
        self.cause = cause
    }

    /// The message.
    public var description: String { message }
}
