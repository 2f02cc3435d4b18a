package import GatewayConfiguration
import GatewayCore
package import GatewayHTTP
package import HTTPMessages
package import HTTPServer

/// The routes for reverse proxies, which ask who makes a request and whether it is allowed. The backends behind the
/// proxies need no sign-in of their own.
///
/// A request is answered from memory when its session is there, like `/me`. The fields of a proxy are used only if the
/// proxy is trusted.
///
/// Source: RFC 6750; RFC 9728; the forward-authentication conventions of nginx, Caddy and Traefik.
package struct ForwardAuthRoutes: ServiceDialect {
    package let services: GatewayServices
    package let rules: AccessRules
    package let challenge: ForwardAuthChallenge
    private let proxyWarnings: ProxyWarnings
    private let origins: OriginCheck
    private let acceptsSignedTokens: Bool

    package var name: String { "verify" }
    package var prefix: String { services.settings.verify.path }
    /// True: proofs of possession are for the request that the proxy describes.
    package var checksProofs: Bool { true }

    /// Creates the routes.
    ///
    /// - Parameters:
    ///   - services: The services of the gateway.
    ///   - acceptsSignedTokens: Whether the tokens with content of apps (``TokenFormat``) are for this server.
    package init(services: GatewayServices, acceptsSignedTokens: Bool) {
        self.services = services
        self.acceptsSignedTokens = acceptsSignedTokens
        rules = services.settings.verify.rules
        challenge = ForwardAuthChallenge(services.settings, services.address)
        proxyWarnings = ProxyWarnings(log: services.log, now: services.now)
        origins = OriginCheck(hosts: services.returnHosts)
    }

    /// Whether the path is the one that proxies request, or belongs to the metadata of protected resources.
    package func owns(_ path: String) -> Bool {
        path == prefix || path == Self.wellKnown || path.hasPrefix(Self.wellKnown + "/")
    }

    /// Returns the host names of a route. The metadata is also served on protected hosts. `/auth/verify` is served
    /// under every name, because only trusted proxies get a useful response there.
    package func hostScope(of pattern: String) -> HostCheck.Scope { pattern == prefix ? .anyHost : .protected }

    /// Returns ``SiteCheck/Scope/everything``: a proxy passes on the fields of a browser, and ``OriginCheck`` checks them.
    /// The metadata is for everyone.
    package func siteScope(of route: Router.Route) -> SiteCheck.Scope { .everything }

    /// Adds the routes. A proxy may use the method of the original request.
    package func add(to router: inout Router) {
        for method in Self.methods {
            router.on(
                method, prefix, synchronousHandler: { cachedVerification($0) },
                handler: { await verify($0) })
        }
        for path in [Self.wellKnown, Self.wellKnown + "/"] { router.on(.get, path) { metadata($0) } }
        router.on(.get, Self.wellKnown + "/{path*}", parameters: String.self) { request, _ in metadata(request) }
    }

    package func failure(_ error: any Error, _ request: ServerRequest) -> ServerResponse {
        services.log.failure("Could not look up a token.", error, request: request.id)
        return ForwardAuthResponses.unavailable
    }

    /// Returns the response to a request that the server refuses before any route runs.
    package func serverError(_ status: HTTPStatus, _ sentence: String, for request: RefusedRequest) -> ServerResponse {
        ForwardAuthResponses.sentence(status, sentence)
    }

    /// The methods of HTTP and of WebDAV, including versioning, calendars and search.
    ///
    /// Source: RFC 9110 §9; RFC 5789; RFC 4918 §9; RFC 3253; RFC 4791; RFC 5323.
    private static let methods = [
        "GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND", "PROPPATCH", "MKCOL", "COPY", "MOVE", "LOCK",
        "UNLOCK", "REPORT", "MKCALENDAR", "SEARCH",
    ].map(HTTPMethod.init(rawValue:))
}

extension ForwardAuthRoutes {
    /// A request of a trusted proxy, with its parsed fields.
    private struct VerificationRequest {
        let request: ServerRequest
        let forwarded: ForwardedRequest
        let decision: AccessDecision
        let tokens: RequestTokens
        /// The credentials that may contain a key; nil when there are none or the rule does not accept keys.
        let key: BasicCredentials?
        /// Whether the backend must not get `Authorization`.
        let hidesAuthorization: Bool
        /// Whether the request has a cookie that does not count, because a page of another origin sent the request.
        let hasForeignCookie: Bool
    }

    private enum ParseResult {
        case question(VerificationRequest)
        case refusal(ServerResponse)
    }

    /// Returns the identity of the caller, or the reason for a refusal.
    package func verify(_ request: ServerRequest) async -> ServerResponse {
        switch read(request) {
        case .refusal(let response): return response
        case .question(let question):
            do {
                if question.tokens.isProofScheme, let proofs = services.proofs {
                    return try await verify(question, proofs)
                }
                switch try await caller(with: question.tokens, at: question.forwarded) {
                case .nobody: break
                case let caller: return response(question, caller)
                }
                guard let key = question.key else { return response(question, .nobody) }
                return try await response(question, key)
            } catch {
                return failure(error, request)
            }
        }
    }

    /// Verifies the proof of possession for the request that the proxy describes, and authenticates the token with it.
    ///
    /// Source: RFC 9449 §7.
    private func verify(_ question: VerificationRequest, _ proofs: ProofVerifier) async throws -> ServerResponse {
        let forwarded = question.forwarded
        switch proofs.verify(
            question.request, method: forwarded.method.rawValue, address: forwarded.origin + forwarded.sentPath)
        {
        case .none: return response(question, .nobody, .missing)
        case .refused(let refusal): return response(question, .nobody, refusal)
        case .limited(let wait):
            return ForwardAuthResponses.tooMany(wait, isNginx: Self.isNginx(question.request))
        case .proof(let proof, let nonce):
            let found = try await RequestProof.$current.withValue(proof) { () async throws -> Caller in
                try await caller(with: question.tokens, at: forwarded)
            }
            proofs.settle(proof, of: question.request)
            let response = response(question, found, proof.isRepeated ? .repeated : .invalidToken)
            return nonce.map { response.proofNonce($0) } ?? response
        }
    }

    /// The caller: unknown, a known person, or a person who must change their password before anything else.
    private enum Caller {
        case nobody, known(AuthenticatedPerson), mustChangePassword

        init(_ found: Authentication) {
            self =
                switch found {
                case .valid(let session): .known(AuthenticatedPerson(session))
                case .passwordChangeRequired: .mustChangePassword
                default: .nobody
                }
        }
    }

    private func caller(with tokens: RequestTokens, at forwarded: ForwardedRequest) async throws -> Caller {
        var caller = Caller.nobody
        for token in [tokens.first, tokens.second] {
            guard let token else { continue }
            let found =
                switch search(token, in: tokens) {
                case .found(let found): found
                case .elsewhere(let read): try await read()
                }
            switch Caller(found) {
            case .known(let visitor): return .known(visitor)
            case .mustChangePassword: caller = .mustChangePassword
            case .nobody: break
            }
        }
        guard case .nobody = caller, let bearer = tokens.bearer,
            let access = try await services.clientSessions?.authenticate(bearer),
            access.grant.audience.contains(where: { forwarded.isBelow(resource: $0) })
        else { return caller }
        return access.mustChangePassword
            ? .mustChangePassword : .known(AuthenticatedPerson(access.session, granted: access.grant.scopes))
    }

    /// Searches memory for a token. An app sends a signed one itself, so such a token in a cookie is not accepted.
    private func search(_ token: String, in tokens: RequestTokens) -> TokenSearch {
        acceptsSignedTokens && token == tokens.bearer
            ? services.issuer.findSigned(token) : services.issuer.find(token)
    }

    private func response(_ question: VerificationRequest, _ key: BasicCredentials) async throws -> ServerResponse {
        switch try await holder(of: key, question.request) {
        case .known(let known):
            let mustChange = services.mustChangePassword(known.person)
            return response(question, mustChange ? .mustChangePassword : .known(AuthenticatedPerson(known)))
        case .refused: return response(question, .nobody)
        case .limited(let wait):
            return ForwardAuthResponses.tooMany(wait, isNginx: Self.isNginx(question.request))
        }
    }

    /// The same as ``verify(_:)`` when the session is in memory. Returns nil when it is not.
    func cachedVerification(_ request: ServerRequest) -> ServerResponse? {
        switch read(request) {
        case .refusal(let response): return response
        case .question(let question):
            guard !question.tokens.isProofScheme || services.proofs == nil else { return nil }
            guard let first = question.tokens.first else {
                return question.key == nil ? response(question, .nobody) : nil
            }
            guard case .found(let found) = search(first, in: question.tokens) else { return nil }
            let caller = Caller(found)
            if case .known = caller { return response(question, caller) }
            return question.tokens.second == nil && question.key == nil ? response(question, caller) : nil
        }
    }

    private func read(_ request: ServerRequest) -> ParseResult {
        guard services.proxies.trusts(request.peer) else {
            proxyWarnings.record(.untrusted, request)
            return .refusal(ForwardAuthResponses.untrusted)
        }
        do throws(ForwardedRefusal) {
            let forwarded = try ForwardedRequest(request)
            guard !forwarded.hasOtherMethod || !rules.nameMethods else { throw .contradictory }
            let decision = try rules.decision(on: forwarded)
            var tokens = RequestTokens(request, cookie: services.cookie)
            let hasForeignCookie = tokens.cookie != nil && !origins.allow(request, forwarded)
            if hasForeignCookie { tokens = RequestTokens(request, cookie: nil) }
            let basic = tokens.bearer == nil ? Self.basic(request) : nil
            return .question(
                VerificationRequest(
                    request: request, forwarded: forwarded, decision: decision,
                    tokens: tokens, key: basic.flatMap { rules.acceptsKeys(with: forwarded) ? $0 : nil },
                    hidesAuthorization: tokens.bearer == nil && Self.hidesAuthorization(request),
                    hasForeignCookie: hasForeignCookie))
        } catch {
            if error == .incomplete { proxyWarnings.record(.incomplete, request) }
            return .refusal(ForwardAuthResponses.refusal(error, isNginx: Self.isNginx(request)))
        }
    }

    /// Returns the response to a caller. `refusal` says why a token with a proof of possession is not accepted.
    private func response(
        _ question: VerificationRequest, _ caller: Caller, _ refusal: ProofRefusal? = nil
    ) -> ServerResponse {
        switch (question.decision.admission, caller) {
        case (.everybody, .known(let visitor)):
            return ForwardAuthResponses.welcome(visitor, hidesAuthorization: question.hidesAuthorization)
        case (.everybody, _): return ForwardAuthResponses.welcome(nil, hidesAuthorization: question.hidesAuthorization)
        case (.nobody, _): return ForwardAuthResponses.forbidden
        case (.signedIn, .known(let visitor)): return welcome(visitor, question)
        case (.some(let lists), .known(let visitor)):
            return lists.allSatisfy { $0.contains(visitor.person, in: visitor.groups) }
                ? welcome(visitor, question) : ForwardAuthResponses.forbidden
        case (_, .mustChangePassword):
            return challenge.passwordChange(
                for: question.request, question.forwarded, services.passwordChangeSentence,
                isNginx: Self.isNginx(question.request))
        case (_, .nobody) where question.hasForeignCookie && question.tokens.bearer == nil && question.key == nil:
            return ForwardAuthResponses.foreignOrigin
        case (_, .nobody):
            return challenge.response(
                to: question.request, question.forwarded, triedBearer: question.tokens.bearer != nil, refusal: refusal,
                acceptsKeys: rules.acceptsKeys(with: question.forwarded), isNginx: Self.isNginx(question.request))
        }
    }

    private func welcome(_ visitor: AuthenticatedPerson, _ question: VerificationRequest) -> ServerResponse {
        // The backend may obey X-HTTP-Method-Override, so the request counts as one that changes something.
        let requirement = question.decision.requirement
        guard visitor.may(question.forwarded.hasOtherMethod ? .post : question.forwarded.method) else {
            return ForwardAuthResponses.forbidden
        }
        guard visitor.hasScopes(of: requirement) else {
            return challenge.insufficientScope(
                requirement, question.forwarded, isBound: question.tokens.isProofScheme)
        }
        guard visitor.isAuthenticated(as: requirement, at: services.now()) else {
            return challenge.stepUp(
                to: requirement, for: question.request, question.forwarded, isBound: question.tokens.isProofScheme,
                isNginx: Self.isNginx(question.request))
        }
        return ForwardAuthResponses.welcome(visitor, hidesAuthorization: question.hidesAuthorization)
    }

    /// Whether the query says that the proxy is nginx, which understands only 2xx, 401 and 403.
    ///
    /// Source: nginx, `ngx_http_auth_request_module`.
    static func isNginx(_ request: ServerRequest) -> Bool {
        request.rawQuery == "proxy=nginx"
    }
}
