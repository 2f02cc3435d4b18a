import HTTPClient
import HTTPMessages
import ServerMessages

extension OnyxDialect {
    /// Reads the response to a password sign-in.
    ///
    /// - Throws: ``LatchError`` with ``LatchError/Code/wrongCredentials``, ``LatchError/Code/passwordLoginDisabled``,
    ///   ``LatchError/Code/emailUnverified``, ``LatchError/Code/rateLimited`` with the delay,
    ///   ``LatchError/Code/serverError``, ``LatchError/Code/serverRefused`` with the server's error message,
    ///   ``LatchError/Code/interceptedResponse`` or ``LatchError/Code/unsupportedServer``.
    ///
    /// Source: docs/protocols/onyx.md, Sign-in with a password; IM-16.
    package func grant(from response: ClientResponse, of server: ServerAddress) throws(LatchError) -> Grant {
        if let grant = renewal(from: response) { return grant }
        if let reason = InterceptedResponse.reason(for: response, from: server, expectsJSON: true) {
            throw LatchError(
                .interceptedResponse, "Could not sign in: the response did not come from \(server); \(reason)")
        }
        throw refusal(response, server)
    }

    private func refusal(_ response: ClientResponse, _ server: ServerAddress) -> LatchError {
        let wait = response.headers["Retry-After"].flatMap { Int($0) }.map { Duration.seconds(max($0, 0)) }
        let error = OnyxError(body: response.body)
        let reason = OnyxReason(rawValue: error?.code ?? "")
        switch (response.status.rawValue, reason) {
        case (429, _), (_, .rateLimited):
            let pause = wait.map { "Wait \($0.components.seconds) seconds" } ?? "Wait a minute"
            return LatchError(
                .rateLimited, "Login failed: too many attempts at \(server). \(pause), then try again.",
                retryAfter: wait)
        case (_, .badCredentials):
            return LatchError(
                .wrongCredentials,
                "Login failed: \(server) does not accept this e-mail and password. "
                    + "Check both; if they are correct, the account may be disabled.")
        case (_, .passwordLoginDisabled):
            return LatchError(
                .passwordLoginDisabled,
                "Login failed: \(server) does not support sign-in with a password. Use another sign-in method.")
        case (_, .userNotVerified):
            return LatchError(
                .emailUnverified,
                "Login failed: \(server) requires a verified e-mail address. Follow the link that it sent there.")
        case (_, .noPassword):
            return LatchError(
                .passwordLoginDisabled,
                "Login failed: this account has no password at \(server). Use the sign-in method with which it was "
                    + "created.")
        case (500..., _):
            return LatchError(
                .serverError,
                "Login failed: \(server) \(response.status.failureDescription). Try again later.",
                retryAfter: wait)
        case (404, _), (405, _):
            return LatchError(
                .unsupportedServer,
                "Login failed: \(server) does not support sign-in for programs. Ask its operator to update it.")
        case (200..<300, _): return InterceptedResponse.noToken(in: response, from: server)
        default:
            return LatchError(.serverRefused, "Login failed: \(server) says: \(message(error, response))")
        }
    }

    private func message(_ error: OnyxError?, _ response: ClientResponse) -> String {
        SanitizedText.clean(error.flatMap(Self.message(for:)) ?? InterceptedResponse.summary(response))
    }
}
