import HTTPMessages

/// An error code of an Onyx server. An unknown code is kept unchanged.
///
/// Source: docs/protocols/onyx.md, Sign-in with a password, Registration and Rejected sessions.
package struct OnyxReason: RawRepresentable, Hashable, Sendable {
    /// The text of the code.
    package let rawValue: String

    /// Creates a reason from any text.
    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The session has expired.
    package static let sessionExpired = OnyxReason(rawValue: "SESSION_EXPIRED")
    /// The session was signed out or revoked.
    package static let sessionTerminated = OnyxReason(rawValue: "SESSION_TERMINATED")
    /// No session has this token.
    package static let sessionUnrecognized = OnyxReason(rawValue: "SESSION_UNRECOGNIZED")
    /// The password is wrong, or the person is unknown or disabled. One code for all three.
    package static let badCredentials = OnyxReason(rawValue: "LOGIN_BAD_CREDENTIALS")
    /// The server does not allow signing in with a password.
    package static let passwordLoginDisabled = OnyxReason(rawValue: "PASSWORD_LOGIN_DISABLED")
    /// The person has no password and signs in through an identity provider.
    package static let noPassword = OnyxReason(rawValue: "NO_WEB_LOGIN_AND_HAS_NO_PASSWORD")
    /// Registration is closed.
    package static let registrationDisabled = OnyxReason(rawValue: "REGISTRATION_DISABLED")
    /// An account with this e-mail address already exists.
    package static let userAlreadyExists = OnyxReason(rawValue: "REGISTER_USER_ALREADY_EXISTS")
    /// The password violates the policy; the detail of the error describes how.
    package static let invalidPassword = OnyxReason(rawValue: "REGISTER_INVALID_PASSWORD")
    /// The input is invalid, such as a malformed e-mail address.
    package static let invalidInput = OnyxReason(rawValue: "INVALID_INPUT")
    /// The client has sent too many requests.
    package static let rateLimited = OnyxReason(rawValue: "RATE_LIMITED")
    /// The request is not authenticated.
    package static let unauthenticated = OnyxReason(rawValue: "UNAUTHENTICATED")
    /// A parameter is invalid.
    package static let validationError = OnyxReason(rawValue: "VALIDATION_ERROR")
    /// The person may not sign in, for example because they are not invited.
    package static let unauthorized = OnyxReason(rawValue: "UNAUTHORIZED")
    /// All paid seats are in use.
    package static let seatLimitExceeded = OnyxReason(rawValue: "SEAT_LIMIT_EXCEEDED")
    /// The person must verify the e-mail address before signing in.
    package static let userNotVerified = OnyxReason(rawValue: "LOGIN_USER_NOT_VERIFIED")
}
