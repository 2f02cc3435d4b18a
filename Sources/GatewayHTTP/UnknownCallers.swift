import GatewayCore
import HTTPMessages
package import HTTPServer

/// Limits addresses that send too many unreadable requests: further requests with a body are refused before they are
/// parsed.
///
/// Parsing the body of an unauthenticated client, or a token without a session, costs work that cannot be counted
/// against an account. Valid requests do not count, because an identity provider may sign out any number of people at
/// once.
package struct UnknownCallers: Sendable {
    let limits: RequestLimits
    let proxies: TrustedProxies
    let issuer: any SessionIssuer
    let apiKeys: APIKeyStore
    let cookie: SessionCookie?

    /// Runs `handler`, and counts the request against its address when the response means that the body is invalid.
    ///
    /// - Parameters:
    ///   - request: A request with a body.
    ///   - token: The token that the request's dialect finds in it. Callers that are signed in are not limited, even if
    ///     others at their address are.
    ///   - refusals: The statuses with which the dialect refuses a body that it cannot parse.
    ///   - tooMany: Creates the response for an address that must wait.
    ///   - handler: Parses the request and returns the response.
    /// - Returns: The response; nil when `handler` returns nil.
    func response(
        _ request: ServerRequest, token: @autoclosure () -> String?, refusals: Set<HTTPStatus>,
        tooMany: (Duration) -> ServerResponse,
        _ handler: () async -> ServerResponse?
    ) async -> ServerResponse? {
        if let wait = wait(of: request), await !isSignedIn(request, token()) { return tooMany(wait) }
        let response = await handler()
        if let status = response?.status, refusals.contains(status), await !isSignedIn(request, token()) {
            count(request)
        }
        return response
    }

    /// Returns how long the address of a request must wait; nil when the request may be parsed.
    package func wait(of request: ServerRequest) -> Duration? {
        limits.wait(.unreadable, .from(proxies.client(of: request)))
    }

    /// Counts an unreadable request against its address.
    package func count(_ request: ServerRequest) {
        _ = limits.consume(.unreadable, .from(proxies.client(of: request)))
    }

    /// Counts an unreadable request of a caller that is signed in. ``response(_:token:refusals:tooMany:_:)`` does not count
    /// it. For routes whose callers need no session.
    package func countSignedIn(_ request: ServerRequest) async {
        if await isSignedIn(request, nil) { count(request) }
    }

    private func isSignedIn(_ request: ServerRequest, _ token: String?) async -> Bool {
        let tokens = RequestTokens(request, cookie: cookie)
        for token in [tokens.first, tokens.second, token].compactMap({ $0 }) {
            switch try? await issuer.authenticateSigned(token) {
            case .valid, .passwordChangeRequired: return true
            case .expired, .terminated, .proofRequired, .unrecognized, nil: break
            }
            if APIKeyStore.isKey(token), (try? await apiKeys.authenticate(token)) != nil { return true }
        }
        return false
    }
}
