import GatewayCore
import GatewayHTTP
import HTTPMessages
import HTTPServer

/// How the requests of clients are counted.
///
/// | request | counts for |
/// |---|---|
/// | of a client that authenticates itself by a secret or a key, and did not register itself | the client |
/// | a refresh or a revocation of a token of this server, by a client without a secret | the session of the token |
/// | more than five of these a minute that renew or end nothing | the address |
/// | with wrong credentials | the address, apart from its other requests |
/// | with a proof of possession that is not valid, or that no token or sign-in uses | the address, for such proofs only |
/// | all others | the address |
/// | of a page of another origin, instead of the last three | the address, see ``SiteCheck/kind(_:of:)`` |
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
    /// A request with a secret is not refused here: secrets are compared first, and only wrong ones count, so that nobody
    /// at the address keeps a client with the correct secret from being served. The check of a signature takes too long
    /// for that.
    ///
    /// - Throws: ``Refusal``.
    func admit(_ request: ServerRequest, _ form: FormFields, _ credentials: ClientCredentials) throws(Refusal) {
        let address = RequestCaller.from(services.proxies.client(of: request))
        guard !credentials.attemptAuthentication else {
            let kind = services.siteCheck.kind(.authentication, of: request)
            guard case .assertion = credentials, let wait = services.limits.wait(kind, address) else { return }
            throw Refusal(response: tooMany(request, wait: wait))
        }
        guard let session = session(of: request, form),
            !services.limits.isUsedUp(.refusedRefresh, by: .session(session))
        else { return try consume(.address, address, request) }
        try consume(.session, .session(session), request)
    }

    /// Returns the session of the token of a refresh or a revocation. It may be over. Nil when the token is not one of
    /// this server, and for other requests, which may contain such a token too.
    private func session(of request: ServerRequest, _ form: FormFields) -> SessionID? {
        let token =
            switch request.path {
            case prefix + Self.token where form["grant_type"] == "refresh_token": form["refresh_token"]
            case prefix + Self.revocation: form["token"]
            default: nil as String?
            }
        return token.flatMap(sessions.session(ofRefreshToken:))
    }

    /// Counts a refresh or a revocation of a client without a secret that renewed or ended nothing. Otherwise each refresh
    /// token that a person ever had would allow as many requests as an address.
    func countWithoutEffect(_ token: String?, of client: RegisteredClient) {
        guard !client.isConfidential, let session = token.flatMap(sessions.session(ofRefreshToken:)) else { return }
        _ = services.limits.consume(.refusedRefresh, .session(session))
    }

    /// Returns what the requests of a client that has authenticated itself count for. A client that registered itself
    /// counts for the address, because anybody can register many.
    func limit(
        of client: RegisteredClient, _ request: ServerRequest
    ) -> (kind: RequestLimits.Kind, caller: RequestCaller) {
        client.registration == nil
            ? (.client, .client(client.id))
            : (services.siteCheck.kind(.address, of: request), .from(services.proxies.client(of: request)))
    }

    /// Counts a request of a client that has authenticated itself.
    ///
    /// - Throws: ``Refusal`` when the client has no requests left.
    func count(_ client: RegisteredClient, _ request: ServerRequest) throws(Refusal) {
        let (kind, caller) = limit(of: client, request)
        try consume(kind, caller, request)
    }

    /// Counts a request. One of a page of another origin counts apart.
    ///
    /// - Throws: ``Refusal`` when the caller has no requests left.
    func consume(
        _ kind: RequestLimits.Kind, _ caller: RequestCaller, _ request: ServerRequest
    ) throws(Refusal) {
        let kind = services.siteCheck.kind(kind, of: request)
        guard let wait = services.limits.consume(kind, caller) else { return }
        throw Refusal(response: tooMany(request, wait: wait))
    }

    /// Counts wrong credentials. Requests without any are counted already.
    ///
    /// - Throws: ``Refusal`` when the address has no such requests left.
    func countFailure(of request: ServerRequest, _ credentials: ClientCredentials) throws(Refusal) {
        guard credentials.attemptAuthentication else { return }
        try consume(.authentication, .from(services.proxies.client(of: request)), request)
    }
}
