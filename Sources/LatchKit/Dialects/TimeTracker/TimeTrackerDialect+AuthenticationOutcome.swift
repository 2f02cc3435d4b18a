import HTTPClient

extension TimeTrackerDialect {
    /// Decides what a response says about the session.
    ///
    /// A Time Tracker server rejects a token with 401 and `{"error": "Unauthorized"}`, optionally followed by a reason.
    /// Many programs send the same response, so the session asks the server again before it ends.
    ///
    /// Source: TT-7; docs/protocols/time-tracker.md, Rejected tokens.
    package func authenticationOutcome(of response: ClientResponse, to path: String, at server: ServerAddress)
        -> AuthenticationOutcome
    {
        let isAPI = prefix.isEmpty || path.hasPrefix(prefix + "/")
        if let reason = InterceptedResponse.reason(for: response, from: server, expectsJSON: isAPI) {
            return .intercepted(reason)
        }
        let message = errorMessage(in: response)
        switch response.status.rawValue {
        case 500 where path == signOutPath && message == Self.cannotSignOut: return .authenticated
        case 408, 429, 500...: return .failing
        case 401:
            guard let message else { return .intercepted(Self.unknownSender(response)) }
            return message.hasPrefix("Unauthorized") ? .rejected(Self.rejection(message)) : .authenticated
        case 403: return message == nil ? .intercepted(Self.unknownSender(response)) : .authenticated
        default: return .authenticated
        }
    }

    private var signOutPath: String { prefix + "/auth/logout" }

    /// The error message of Time Tracker's own server when an app signs out. The server keeps no session that it could
    /// end.
    ///
    /// Source: docs/protocols/time-tracker.md, Sign-out.
    private static let cannotSignOut = "Failed to logout"

    /// False. A successful sign-out response proves nothing, because the server accepts a token by its signature alone.
    package var trustsSignOutResponse: Bool { false }

    /// Reads the response to a sign-out. After any refusal the token is still valid.
    ///
    /// Source: TT-12; docs/protocols/time-tracker.md, Sign-out.
    package func revocationFailure(_ response: ClientResponse, at server: ServerAddress) -> String? {
        guard !response.status.isSuccess else { return nil }
        guard errorMessage(in: response) == Self.cannotSignOut else {
            return "\(server) refused the request: "
                + "\(SanitizedText.clean(errorMessage(in: response) ?? InterceptedResponse.summary(response)))."
        }
        return "\(server) cannot revoke a token. It accepts the token until it expires."
    }

    private static func unknownSender(_ response: ClientResponse) -> String {
        "the refusal does not have the format of Time Tracker (\(InterceptedResponse.summary(response))). "
            + "A system between this machine and the server refused the request."
    }

    private static func rejection(_ message: String) -> Rejection {
        let reason = String(message.dropFirst("Unauthorized: ".count))
        let sentence =
            switch reason {
            case "jwt expired": "the session expired"
            case "session ended": "the session was ended on the server"
            case "invalid signature": "the server's signing key has changed"
            case "": "the server no longer accepts the session"
            default: "the server no longer accepts the session (\(SanitizedText.clean(reason)))"
            }
        return Rejection(reason: reason.isEmpty ? "unauthorized" : reason, sentence: sentence, isConclusive: false)
    }
}
