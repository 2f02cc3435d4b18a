import HTTPClient

extension TimeTrackerDialect {
    /// Returns the error for a response that does not begin a sign-in.
    ///
    /// Source: TT-9; docs/protocols/time-tracker.md, Start of a sign-in.
    func startError(_ response: ClientResponse, _ server: ServerAddress) -> LatchError {
        if let error = commonError(response, server) { return error }
        let message = message(response)
        guard response.status.rawValue >= 500 else {
            return LatchError(.serverRefused, "Login failed: \(server) refused to begin a sign-in: \(message).")
        }
        return LatchError(
            .serverError,
            "Login failed: \(server) could not begin a sign-in, probably because it cannot reach its identity provider "
                + "(\(message)). Try again later.", retryAfter: Self.wait(response))
    }

    /// Returns the error for a response to an exchange that contains no token.
    func exchangeError(_ response: ClientResponse, _ server: ServerAddress) -> LatchError {
        if let error = commonError(response, server) { return error }
        let message = message(response)
        switch response.status.rawValue {
        case 200..<300: return InterceptedResponse.noToken(in: response, from: server)
        case 400 where message.contains("Initiate login again"), 500 where message.contains("invalid_grant"):
            return LatchError(
                .codeRefused,
                "Login failed: \(server) does not accept the code from the browser; it expired or was already used "
                    + "(\(message)). Sign in again.")
        case 403:
            return LatchError(.signInDenied, "Login failed: \(server) denied the sign-in: \(message).")
        case 500...:
            return LatchError(
                .serverError, "Login failed: \(server) could not finish the sign-in: \(message). Try again later.",
                retryAfter: Self.wait(response))
        default:
            return LatchError(.serverRefused, "Login failed: \(server) says: \(message).")
        }
    }

    /// Returns the error for a response that says nothing about this sign-in: a rate limit or a response from another
    /// sender. Nil for all other responses.
    private func commonError(_ response: ClientResponse, _ server: ServerAddress) -> LatchError? {
        if response.status == .tooManyRequests {
            let wait = Self.wait(response)
            let pause = wait.map { "Wait \($0.components.seconds) seconds" } ?? "Wait a minute"
            return LatchError(
                .rateLimited, "Login failed: too many attempts at \(server). \(pause), then try again.",
                retryAfter: wait)
        }
        guard let reason = InterceptedResponse.reason(for: response, from: server, expectsJSON: true) else {
            return nil
        }
        return LatchError(
            .interceptedResponse, "Could not sign in: the response did not come from \(server); \(reason)")
    }

    /// Returns the server's error message without a final period, so that it fits into a sentence.
    private func message(_ response: ClientResponse) -> String {
        var message = SanitizedText.clean(errorMessage(in: response) ?? InterceptedResponse.summary(response))
        while message.hasSuffix(".") { message.removeLast() }
        return message
    }

    private static func wait(_ response: ClientResponse) -> Duration? {
        response.headers["Retry-After"].flatMap { Int($0) }.map { .seconds(max($0, 0)) }
    }
}
