extension OnyxDialect {
    /// Returns the message of an error, for people: the server's own text, or a description of the code when there is
    /// only a code.
    ///
    /// Source: contract of Onyx, endpoints and b.7.
    static func words(for error: OnyxError) -> String? {
        guard let code = error.code else {
            guard error.detail == "Forbidden" else { return error.detail }
            return "you may not do this, or have to prove your e-mail address first (Forbidden)"
        }
        // The detail may repeat the code instead of a text.
        let detail = error.detail == code ? nil : error.detail
        switch OnyxReason(rawValue: code) {
        case .registrationDisabled: return "it is closed to new people; ask its operator for an account"
        case .unauthorized: return "only people who are invited may come in; ask its operator"
        case .seatLimitExceeded: return "all of its seats are taken; ask its operator"
        case .passwordLoginDisabled: return "nobody signs in with a password"
        case .noPassword: return "this account has no password; sign in the way it was made"
        case .badCredentials: return "e-mail or password is wrong, or the account is disabled"
        case .userAlreadyExists: return "this address has an account already"
        case .userNotVerified: return "the e-mail address has to be proved first"
        case .sessionExpired: return "the session's time ran out"
        case .sessionTerminated: return "the session was ended"
        case .sessionUnrecognized: return "the session is not known"
        case .rateLimited: return detail ?? "too many requests"
        case .invalidPassword: return detail ?? "the password is too weak"
        default: return detail ?? code
        }
    }
}
