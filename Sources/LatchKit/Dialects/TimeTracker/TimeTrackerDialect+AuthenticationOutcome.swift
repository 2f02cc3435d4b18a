extension TimeTrackerDialect {
    /// Tells a server's word on a token from everything else.
    ///
    /// Its rejection is 401 with `{"error": "Unauthorized"}` or that and a reason. Many programs say so too, so it is always
    /// asked about again before a session ends.
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

    /// What a server of Time Tracker itself answers an app: it has no session that it could end.
    ///
    /// Source: contract of Time Tracker, deviation table.
    private static let cannotSignOut = "Failed to logout"

    /// A success alone says nothing: what signs people in is good by its signature.
    public var trustsSignOutResponse: Bool { false }

    /// Any refusal leaves the token as it was.
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
