/// A machine's word in an Onyx server's refusal; an unknown one survives the round trip.
///
/// Source: contract of Onyx, endpoints and rejection codes.
public struct OnyxReason: RawRepresentable, Hashable, Sendable {
    /// The word.
    public let rawValue: String

    /// Makes a reason of any word.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The session's time ran out.
    public static let sessionExpired = OnyxReason(rawValue: "SESSION_EXPIRED")
    /// The session was signed out or revoked.
    public static let sessionTerminated = OnyxReason(rawValue: "SESSION_TERMINATED")
    /// No session has this token.
    public static let sessionUnrecognized = OnyxReason(rawValue: "SESSION_UNRECOGNIZED")
    /// Wrong password, unknown person or disabled person: one word for all three.
    public static let badCredentials = OnyxReason(rawValue: "LOGIN_BAD_CREDENTIALS")
    /// Nobody signs in with a password here.
    public static let passwordLoginDisabled = OnyxReason(rawValue: "PASSWORD_LOGIN_DISABLED")
    /// This person has no password and signs in through an identity provider.
    public static let noPassword = OnyxReason(rawValue: "NO_WEB_LOGIN_AND_HAS_NO_PASSWORD")
    /// Registration is closed.
    public static let registrationDisabled = OnyxReason(rawValue: "REGISTRATION_DISABLED")
    /// The address has an account already.
    public static let userAlreadyExists = OnyxReason(rawValue: "REGISTER_USER_ALREADY_EXISTS")
    /// The password breaks the policy; the reason says how.
    public static let invalidPassword = OnyxReason(rawValue: "REGISTER_INVALID_PASSWORD")
    /// The input is refused, such as an address that is none.
    public static let invalidInput = OnyxReason(rawValue: "INVALID_INPUT")
    /// Too many requests.
    public static let rateLimited = OnyxReason(rawValue: "RATE_LIMITED")
    /// The request is not authenticated.
    public static let unauthenticated = OnyxReason(rawValue: "UNAUTHENTICATED")
    /// A parameter may not be what it is.
    public static let validationError = OnyxReason(rawValue: "VALIDATION_ERROR")
    /// This person may not come in, such as one who is not invited.
    public static let unauthorized = OnyxReason(rawValue: "UNAUTHORIZED")
    /// Every seat that was paid for is taken.
    public static let seatLimitExceeded = OnyxReason(rawValue: "SEAT_LIMIT_EXCEEDED")
    /// The person must prove the e-mail address before signing in.
    public static let userNotVerified = OnyxReason(rawValue: "LOGIN_USER_NOT_VERIFIED")
}
