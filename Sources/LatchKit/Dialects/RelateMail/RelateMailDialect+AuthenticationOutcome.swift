extension RelateMailDialect {
    /// Tells the server's word on a key from everything else.
    ///
    /// Its rejection is 401 with nothing in it, or with the sentence of an exception: both anybody could send, so the server
    /// is asked again before a session ends. 403 is a key without the scope for one address, and ends no session.
    ///
    /// Source: contract of Relate Mail, error shapes and rule 11.
    public func authenticationOutcome(of answer: ClientResponse, to path: String, at server: ServerAddress)
        -> AuthenticationOutcome
    {
        if Self.refusesName(answer) {
            return .intercepted("it refuses its own name: the setting AllowedHosts there lacks '\(server.host)'.")
        }
        let isAPI = path.hasPrefix("/api/")
        if let reason = InterceptedResponse.reason(for: answer, from: server, expectsJSON: isAPI) {
            return .intercepted(reason)
        }
        switch answer.status.rawValue {
        case 408, 429, 500...: return .failing
        case 401:
            return .rejected(
                Rejection(
                    reason: "unauthorized", sentence: "the server does not accept its key any more",
                    isUnmistakable: false))
        default: return .answered
        }
    }
}
