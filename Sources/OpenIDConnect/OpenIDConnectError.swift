/// An error of a sign-in at an identity provider. It never contains a code, a token or a secret.
package struct OpenIDConnectError: Error, Sendable, CustomStringConvertible {
    /// The kind of an error, for decisions by callers.
    package struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Base: String {
            case denied, refused, unreachable, invalidResponse, invalidToken, staleSignIn, missingSignInTime,
                misconfigured
        }
        private let base: Base

        /// The person did not consent, or cancelled.
        package static let denied = Code(base: .denied)
        /// The provider responded with an error, which is in ``OpenIDConnectError/providerError``.
        package static let refused = Code(base: .refused)
        /// The provider cannot be reached or reports that it is out of order. A later attempt may succeed.
        package static let unreachable = Code(base: .unreachable)
        /// The response does not conform to the standard, or comes from another sender.
        package static let invalidResponse = Code(base: .invalidResponse)
        /// A token or a UserInfo response is not valid.
        package static let invalidToken = Code(base: .invalidToken)
        /// A new sign-in was required, but the person's last sign-in was earlier.
        package static let staleSignIn = Code(base: .staleSignIn)
        /// A new sign-in was required, but the provider does not say when the person signed in.
        package static let missingSignInTime = Code(base: .missingSignInTime)
        /// The configuration is invalid.
        package static let misconfigured = Code(base: .misconfigured)

        /// The name of the code.
        package var description: String { base.rawValue }
    }

    /// The kind of the error.
    package let code: Code
    /// A sentence that says what happened, to what, and what to do. It does not contain ``providerDescription``.
    package let message: String
    /// The provider's `error`, such as `access_denied`. Nil when the provider sent none.
    package let providerError: String?
    /// The provider's `error_description` in printable ASCII, at most 200 characters. Nil when the provider sent none.
    package let providerDescription: String?
    /// The underlying error. Nil when there is none.
    package let cause: (any Error)?

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
    package var description: String { message }
}
