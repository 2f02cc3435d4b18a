extension TimeTrackerDialect {
    /// Decides what a response says about the session.
    ///
    /// A Time Tracker server rejects a token with 401 and `{"error": "Unauthorized"}`, optionally followed by a reason.
    /// Many programs send the same response, so the session asks the server again before it ends.
    ///
    /// Source: TT-7; contract of Time Tracker, 401 bodies.
    public func authenticationOutcome(of answer: ClientResponse, to path: String, at server: ServerAddress)
        -> AuthenticationOutcome
    {
        let isAPI = prefix.isEmpty || path.hasPrefix(prefix + "/")
        if let reason = InterceptedResponse.reason(for: answer, from: server, expectsJSON: isAPI) {
            return .intercepted(reason)
        }
        let words = errorMessage(in: answer)
        switch answer.status.rawValue {
        case 500 where path == signOutPath && words == Self.cannotSignOut: return .answered
        case 408, 429, 500...: return .failing
        case 401:
            guard let words else { return .intercepted(Self.unknownSender(answer)) }
            return words.hasPrefix("Unauthorized") ? .rejected(Self.rejection(words)) : .answered
        case 403: return words == nil ? .intercepted(Self.unknownSender(answer)) : .answered
        default: return .answered
        }
    }

    private var signOutPath: String { prefix + "/auth/logout" }

    /// The error message of Time Tracker's own server when an app signs out. The server keeps no session that it could
    /// end.
    ///
    /// Source: contract of Time Tracker, deviation table.
    private static let cannotSignOut = "Failed to logout"

    /// False. A successful sign-out response proves nothing, because the server accepts a token by its signature alone.
    public var trustsSignOutResponse: Bool { false }

    /// Reads the response to a sign-out. After any refusal the token is still valid.
    ///
    /// Source: TT-12; contract of Time Tracker, deviation table.
    public func revocationFailure(_ answer: ClientResponse, at server: ServerAddress) -> String? {
        guard !answer.status.isSuccess else { return nil }
        guard errorMessage(in: answer) == Self.cannotSignOut else {
            return
                "\(server) refuses: \(SanitizedText.clean(errorMessage(in: answer) ?? InterceptedResponse.sketch(answer)))."
        }
        return "\(server) cannot take a token back: there it is good until its time has run out."
    }

    private static func unknownSender(_ answer: ClientResponse) -> String {
        "a refusal came that is not Time Tracker's own (\(InterceptedResponse.sketch(answer))). "
            + "Something between here and the server refuses the request."
    }

    private static func rejection(_ words: String) -> Rejection {
        let reason = String(words.dropFirst("Unauthorized: ".count))
        let sentence =
            switch reason {
            case "jwt expired": "the session's time ran out"
            case "session ended": "the session was ended on the server"
            case "invalid signature": "the server signs with another key now"
            case "": "the server does not accept the session any more"
            default: "the server does not accept the session any more (\(SanitizedText.clean(reason)))"
            }
        return Rejection(reason: reason.isEmpty ? "unauthorized" : reason, sentence: sentence, isUnmistakable: false)
    }
}
