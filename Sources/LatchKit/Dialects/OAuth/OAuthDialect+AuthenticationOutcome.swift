import HTTPClient
import OAuth

extension OAuthDialect {
    /// Decides what a response says about the session.
    ///
    /// - At the token endpoint, `invalid_grant` ends the session. Other errors do not.
    /// - A 401 of the userinfo endpoint, and a 401 with a Bearer challenge elsewhere, reject the access token. They are
    ///   not final: the token is renewed first, or without a refresh token the server is asked again.
    /// - Any other refusal concerns the request only. This includes a proof that the server does not accept, for example
    ///   because the clock of this device is wrong.
    ///
    /// Source: RFC 6749 §5.2; RFC 6750 §3; RFC 9449 §7.1; RFC 7009 §2.2; ARCHITECTURE.md, Invariants, 4.
    package func authenticationOutcome(of response: ClientResponse, to path: String, at server: ServerAddress)
        -> AuthenticationOutcome
    {
        let isToken = isEndpoint(self.server?.token, path, server)
        let isRevocation = isEndpoint(self.server?.revocation, path, server)
        if isToken || isRevocation, let error = Self.tokenError(response) {
            return isToken && error.error == "invalid_grant" ? .rejected(Self.endOfGrant) : .authenticated
        }
        // The media type does not matter there: the status alone is the response.
        if isRevocation, response.status == .ok, response.body.isEmpty { return .authenticated }
        let isUserInfo = isEndpoint(self.server?.userInfo, path, server)
        let expectsJSON = isToken || isUserInfo || isRevocation
        if let reason = InterceptedResponse.reason(for: response, from: server, expectsJSON: expectsJSON) {
            return .intercepted(reason)
        }
        switch response.status.rawValue {
        case 408, 429, 500...: return .failing
        case 401 where isToken || isRevocation:
            return .intercepted("another system refused the session, and the server did not confirm it.")
        case 401 where ProofSigner.error(in: response) != nil: return .authenticated
        case 401 where isUserInfo || Self.isChallenge(response): return .rejected(Self.rejection)
        default: return .authenticated
        }
    }

    /// Returns the error of a response of the token endpoint or the revocation endpoint. Nil for any other response.
    ///
    /// A 401 refuses the client, so other programs' words in one do not count.
    static func tokenError(_ response: ClientResponse) -> TokenErrorResponse? {
        guard [400, 401].contains(response.status.rawValue), InterceptedResponse.isJSON(response),
            let error = try? TokenErrorResponse(parsing: response.body)
        else { return nil }
        let clientErrors = ["invalid_client", "unauthorized_client", "invalid_grant", "invalid_request"]
        return response.status == .badRequest || clientErrors.contains(error.error) ? error : nil
    }

    private func isEndpoint(_ endpoint: OAuthEndpoint?, _ path: String, _ server: ServerAddress) -> Bool {
        endpoint?.path == path && endpoint?.origin == server
    }

    private static func isChallenge(_ response: ClientResponse) -> Bool {
        AuthenticationChallenge.all(in: response.headers.values("WWW-Authenticate")).contains {
            $0.scheme == "bearer" || $0.scheme == "dpop"
        }
    }

    private static let endOfGrant = Rejection(
        reason: "invalid_grant", sentence: "the server does not renew the session any more", isConclusive: true)
    private static let rejection = Rejection(
        reason: "invalid_token", sentence: "the server no longer accepts the session", isConclusive: false)
}
