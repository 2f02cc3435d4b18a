import HTTPServer
import Wire

/// Keeps an address out whose requests could too often not be read, before anything of the next one is read.
///
/// What is read of somebody unknown (a body, a token that no session has) costs work before anybody could be held to account
/// for it. Good requests cost nothing here: an identity provider may sign out as many people at once as it has.
struct UnknownCallers: Sendable {
    let limits: RequestLimits
    let proxies: TrustedProxies
    let issuer: any SessionIssuer

    /// Answers a request with a body, and counts it when the answer is `refusal`: the one for bodies that say nothing good.
    ///
    /// - Parameters:
    ///   - request: The request; one without a body is handled whatever its address has done.
    ///   - token: The token that it brings. Whose session is in memory is kept out by nobody else at its address.
    ///   - refusal: The status that the dialect refuses a body with.
    ///   - tooMany: The answer to an address that must stay away for so long.
    ///   - handler: Reads the request and answers.
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

    /// For how long the address of a request must stay away; nil when what it sends may be read.
    func wait(of request: ServerRequest) -> Duration? {
        limits.wait(.address, .from(proxies.client(of: request)))
    }

    /// Counts a request that said nothing good.
    func count(_ request: ServerRequest) {
        _ = limits.take(.address, .from(proxies.client(of: request)))
    }

    private func isKnown(_ token: String?) -> Bool {
        guard let token, case .valid? = issuer.authenticateAtOnce(token) else { return false }
        return true
    }
}
