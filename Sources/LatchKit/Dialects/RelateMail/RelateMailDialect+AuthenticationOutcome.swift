import HTTPClient

extension RelateMailDialect {
    /// Decides what a response says about the account's key.
    ///
    /// A Relate Mail server rejects a key with 401 and an empty body or an exception's message. Other software may send
    /// the same, so the session asks the server again before it ends. A 403 means that the key lacks the scope for one
    /// address. It does not end the session.
    ///
    /// Source: docs/protocols/relate-mail.md, Errors and Scopes.
    package func authenticationOutcome(of response: ClientResponse, to path: String, at server: ServerAddress)
        -> AuthenticationOutcome
    {
        if Self.refusesName(response) {
            return .intercepted(
                "the server refuses its own name: its setting AllowedHosts does not contain '\(server.host)'.")
        }
        let isAPI = path.hasPrefix("/api/")
        if let reason = InterceptedResponse.reason(for: response, from: server, expectsJSON: isAPI) {
            return .intercepted(reason)
        }
        switch response.status.rawValue {
        case 408, 429, 500...: return .failing
        case 401:
            return .rejected(
                Rejection(
                    reason: "unauthorized", sentence: "the server no longer accepts its key",
                    isConclusive: false))
        default: return .authenticated
        }
    }
}
