import HTTPClient
import OAuth

extension ForwardAuthDialect {
    /// Decides what a response says about the session.
    ///
    /// At the gateway, responses are read as those of Onyx. At the protected address, only a 401 with the gateway's
    /// challenge concerns the session. It is not final: the session is then checked at the gateway. Any other refusal
    /// comes from the protected server and does not concern the session.
    ///
    /// Source: RFC 6750 §3; RFC 9728 §5.1; ARCHITECTURE.md, Invariants, 4.
    package func authenticationOutcome(of response: ClientResponse, to path: String, at server: ServerAddress)
        -> AuthenticationOutcome
    {
        if server == gateway, path.hasPrefix("/api/") {
            return inner.authenticationOutcome(of: response, to: path, at: server)
        }
        if let reason = InterceptedResponse.reason(for: response, from: server, expectsJSON: false) {
            return .intercepted(reason)
        }
        switch response.status.rawValue {
        case 408, 429, 500...: return .failing
        case 401 where ProofSigner.error(in: response) != nil: return .authenticated
        case 401 where isChallenge(response, of: server): return .rejected(Self.rejection)
        default: return .authenticated
        }
    }

    private func isChallenge(_ response: ClientResponse, of server: ServerAddress) -> Bool {
        ProtectedResource.address(in: response.headers)?.hasPrefix(server.origin + ProtectedResource.wellKnown) == true
    }

    private static let rejection = Rejection(
        reason: "invalid_token", sentence: "the gateway no longer accepts the session", isConclusive: false)
}
