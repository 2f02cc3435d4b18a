import ServerMessages

extension OnyxDialect {
    /// Returns the message of an error, for people: the server's own text, or a description of the code when there is
    /// only a code.
    ///
    /// Source: docs/protocols/onyx.md, Errors, Registration and Rejected sessions.
    static func message(for error: OnyxError) -> String? {
        guard let code = error.code else {
            guard error.detail == "Forbidden" else { return error.detail }
            return "you lack the permission, or must verify your e-mail address first (Forbidden)"
        }
        // The detail may repeat the code instead of a text.
        let detail = error.detail == code ? nil : error.detail
        switch OnyxReason(rawValue: code) {
        case .registrationDisabled: return "registration is closed; ask its operator for an account"
        case .unauthorized: return "an invitation is required; ask its operator"
        case .seatLimitExceeded: return "all its seats are taken; ask its operator"
        case .passwordLoginDisabled: return "sign-in with a password is disabled"
        case .noPassword: return "this account has no password; use the sign-in method with which it was created"
        case .badCredentials: return "the e-mail address or password is wrong, or the account is disabled"
        case .userAlreadyExists: return "this address already has an account"
        case .userNotVerified: return "the e-mail address must be verified first"
        case .sessionExpired: return "the session expired"
        case .sessionTerminated: return "the session was ended"
        case .sessionUnrecognized: return "the session is not known"
        case .rateLimited: return detail ?? "too many requests"
        case .invalidPassword: return detail ?? "the password is too weak"
        default: return detail ?? code
        }
    }
}
