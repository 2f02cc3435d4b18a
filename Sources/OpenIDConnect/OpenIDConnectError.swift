/// Why an identity provider's answer brings no identity; never holds a code, a token or a secret.
public struct OpenIDConnectError: Error, Sendable, CustomStringConvertible {
    /// The kind of mistake, to decide by.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Base: String {
            case denied, refused, unreachable, badAnswer, badToken, oldSignIn, untoldSignIn, misconfigured
        }
        private let base: Base

        /// The person did not agree, or turned back.
        public static let denied = Code(base: .denied)
        /// The provider gave an error of its own; ``OpenIDConnectError/providerError`` has it.
        public static let refused = Code(base: .refused)
        /// The provider cannot be reached, or says itself that it is out of order; later it may work.
        public static let unreachable = Code(base: .unreachable)
        /// What came is not what the standard asks for, or came from somebody else.
        public static let badAnswer = Code(base: .badAnswer)
        /// An ID token or a UserInfo answer cannot be believed.
        public static let badToken = Code(base: .badToken)
        /// The person was to sign in anew, and had signed in before.
        public static let oldSignIn = Code(base: .oldSignIn)
        /// The person was to sign in anew, and the provider does not tell when that was.
        public static let untoldSignIn = Code(base: .untoldSignIn)
        /// What is configured cannot work.
        public static let misconfigured = Code(base: .misconfigured)

        /// The code's name.
        public var description: String { base.rawValue }
    }

    /// The kind of mistake.
    public let code: Code
    /// What happened, to what, and what to do, in one sentence; it says nothing of ``providerDescription``.
    public let message: String
    /// The provider's `error`, as `access_denied`.
    public let providerError: String?
    /// The provider's own words, without anything but printable ASCII, at most 200 characters.
    public let providerDescription: String?
    /// The error below, when there was one.
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
