import GatewayCore
import GatewayHTTP
import HTTPMessages
import HTTPServer

/// How the requests of clients are counted.
///
/// | request | counts for |
/// |---|---|
/// | of a client that authenticates itself by a secret or a key | the client |
/// | with a refresh token that this server issued, of a client without a secret | the session of the token |
/// | with wrong credentials | the address, apart from its other requests |
/// | all others | the address |
///
/// So requests that anybody can send do not use up what clients and sessions at the same address need.
extension OAuthRoutes {
    /// Reads a form. A body that is not valid counts for the address.
    ///
    /// - Throws: ``Refusal``.
    func countedForm(_ request: ServerRequest) throws(Refusal) -> FormFields {
        do {
            return try Self.form(request)
        } catch {
            try consume(.address, .from(services.proxies.client(of: request)), request)
            throw error
        }
    }

    /// Refuses a request before its client is known, if the address has no requests of this kind left.
    ///
    /// - Throws: ``Refusal``.
    func admit(_ request: ServerRequest, _ form: FormFields, _ credentials: ClientCredentials) throws(Refusal) {
        let address = RequestCaller.from(services.proxies.client(of: request))
        switch credentials {
        case .secret, .assertion:
            guard let wait = services.limits.wait(.authentication, address) else { return }
            throw Refusal(response: tooMany(request, wait: wait))
        case .none, .ambiguous, .unreadable:
            // The token of a refresh, or of a revocation.
            if let session = (form["refresh_token"] ?? form["token"]).flatMap(sessions.session(ofRefreshToken:)) {
                try consume(.session, .session(session), request)
            } else {
                try consume(.address, address, request)
            }
        }
    }

    /// Counts a request.
    ///
    /// - Throws: ``Refusal`` when the caller has no requests left.
    func consume(
        _ kind: RequestLimits.Kind, _ caller: RequestCaller, _ request: ServerRequest
    ) throws(Refusal) {
        guard let wait = services.limits.consume(kind, caller) else { return }
        throw Refusal(response: tooMany(request, wait: wait))
    }

    /// Counts wrong credentials.
    func countFailure(of request: ServerRequest, _ credentials: ClientCredentials) {
        switch credentials {
        case .secret, .assertion:
            _ = services.limits.consume(.authentication, .from(services.proxies.client(of: request)))
        // Counted already.
        case .none, .ambiguous, .unreadable: break
        }
    }
}
