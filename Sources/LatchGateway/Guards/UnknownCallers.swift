import HTTPServer
import Wire

/// Limits addresses that send too many unreadable requests: further requests with a body are refused before they are parsed.
///
/// To parse the body of an unauthenticated client, or a token without a session, costs work that no account can be charged for.
/// Valid requests do not count: an identity provider may sign out any number of people at once.
struct UnknownCallers: Sendable {
    let limits: RequestLimits
    let proxies: TrustedProxies
    let issuer: any SessionIssuer

    /// Runs `handler`, and counts a request with a body against its address when the answer has the status `refusal`.
    ///
    /// - Parameters:
    ///   - request: The request. One without a body is always handled.
    ///   - token: The request's token. A caller whose session is in memory is not limited, even if others at its address are.
    ///   - refusal: The status with which the dialect refuses an unreadable body.
    ///   - tooMany: Creates the answer for an address that must wait.
    ///   - handler: Parses the request and answers.
    /// - Returns: The answer.
    func answer(
        _ request: ServerRequest, token: @autoclosure () -> String?, refusal: HTTPStatus,
        tooMany: (Duration) -> ServerResponse, _ handler: () async throws -> ServerResponse
    ) async rethrows -> ServerResponse {
        guard !request.body.isEmpty else { return try await handler() }
        if let wait = wait(of: request), !isKnown(token()) { return tooMany(wait) }
        let answer = try await handler()
        if answer.status == refusal { count(request) }
        return answer
    }

    /// How long the address of a request must wait; nil when its request may be parsed.
    func wait(of request: ServerRequest) -> Duration? {
        limits.wait(.address, .from(proxies.client(of: request)))
    }

    /// Counts an unreadable request against its address.
    func count(_ request: ServerRequest) {
        _ = limits.take(.address, .from(proxies.client(of: request)))
    }

    private func isKnown(_ token: String?) -> Bool {
        guard let token, case .valid? = issuer.authenticateAtOnce(token) else { return false }
        return true
    }
}
