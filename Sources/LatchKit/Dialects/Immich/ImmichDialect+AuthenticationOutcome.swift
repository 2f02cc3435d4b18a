extension ImmichDialect {
    /// Tells an Immich server's word on a token from everything else.
    ///
    /// Only a 401 rejects, and only by what it says: `Invalid user token` is said by nothing else;
    /// `Authentication required` is also what a server says that never saw the token, so it is asked about again. Every
    /// other 401 is about something else, such as `Elevated permission is required` about the locked folder. 400 and 403
    /// are never about the session, nor is the 404 of a server in maintenance.
    ///
    /// Source: IM-10; contract of Immich, error body, b.1, b.8, b.16 and b.24.
    public func authenticationOutcome(of answer: ClientResponse, to path: String, at server: ServerAddress)
        -> AuthenticationOutcome
    {
        if isOwnRedirect(answer, path) { return .answered }
        let isAPI = path.hasPrefix(api + "/")
        if let reason = InterceptedResponse.reason(for: answer, from: server, expectsJSON: isAPI) {
            return .intercepted(reason)
        }
        switch answer.status.rawValue {
        case 408, 429, 500...: return .failing
        case 401, 403: return verdict(onRefusal: answer, path)
        default: return .answered
        }
    }

    private func verdict(onRefusal answer: ClientResponse, _ path: String) -> AuthenticationOutcome {
        guard InterceptedResponse.isJSON(answer), let error = ImmichError(body: answer.body) else {
            return .intercepted(
                "a refusal came that is not an Immich server's own (\(InterceptedResponse.sketch(answer))). "
                    + "Something between here and the server refuses the request.")
        }
        guard answer.status == .unauthorized else { return .answered }
        switch error.message {
        case "Invalid user token":
            return .rejected(
                Rejection(
                    reason: "invalid_user_token", sentence: "the server does not know the session any more",
                    isUnmistakable: true))
        case "Authentication required", "Unauthorized": return .rejected(Self.vague)
        default: return path == identity.path ? .rejected(Self.vague) : .answered
        }
    }

    /// A picture that the server has in another size only is sent on to that.
    ///
    /// Source: contract of Immich, endpoints, `GET /assets/{id}/thumbnail`.
    private func isOwnRedirect(_ answer: ClientResponse, _ path: String) -> Bool {
        guard answer.status.isRedirect, path.hasPrefix(api + "/assets/"), let target = answer.headers["Location"] else {
            return false
        }
        return target.hasPrefix(api + "/assets/") || target.hasPrefix("original") || target.hasPrefix("thumbnail?")
    }

    private static let vague = Rejection(
        reason: "unauthorized", sentence: "the server does not accept the session any more", isUnmistakable: false)
}
