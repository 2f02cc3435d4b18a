import Crypto
import FoundationEssentials
import GatewayConfiguration
import GatewayCore
import GatewayHTTP
import HTTPMessages
import HTTPServer
import JOSE
import OAuth
import Primitives
import SignInBridge

extension OAuthRoutes {
    /// `POST /oauth2/token`: exchanges a code, a refresh token or the code of a device for tokens.
    ///
    /// A proof of possession binds the tokens to its key.
    ///
    /// Source: RFC 6749 §4.1.3 and §6; RFC 8628 §3.4; RFC 9449 §5.
    func token(_ request: ServerRequest) async throws -> ServerResponse {
        let (form, client) = try await clientForm(request)
        guard !client.requiresProof || RequestProof.current != nil else { return ProofRefusal.missing.tokenResponse }
        switch form["grant_type"] {
        case "authorization_code": return try await exchange(form, client, request)
        case "refresh_token":
            guard client.settings.issuesRefreshTokens else { return Self.refreshNotAllowed }
            let response = try await refresh(form, client)
            if !response.status.isSuccess { countWithoutEffect(form["refresh_token"], of: client) }
            return response
        case DeviceGrant.type: return try await exchangeDevice(form, client, request)
        case nil: return TokenResponses.invalidRequest("The parameter grant_type is missing.")
        default:
            return TokenResponses.refusal(
                error: "unsupported_grant_type",
                description: "The grant_type must be one of the grant_types_supported of the metadata.")
        }
    }

    /// Source: RFC 6749 §5.2.
    private static let refreshNotAllowed = TokenResponses.refusal(
        error: "unauthorized_client",
        description: "The client gets no refresh tokens. Start the sign-in again.")

    /// Exchanges a code. Whenever a second request with it arrives, also during the first, the code is used up and its
    /// session is over.
    ///
    /// The code is removed only after the session was started. Until then a second request finds the code, and when it
    /// starts the session, it finds the first one. Afterwards it finds the session. If it has removed the code in the
    /// meantime, because something was wrong with it, the first request ends its own session.
    private func exchange(
        _ form: FormFields, _ client: RegisteredClient, _ request: ServerRequest
    ) async throws -> ServerResponse {
        guard let text = form["code"], form["code_verifier"] != nil || client.mayOmitChallenge else {
            return TokenResponses.invalidRequest(
                client.mayOmitChallenge
                    ? "The parameter code is missing." : "The parameters code and code_verifier are required.")
        }
        let code = OneTimeCode(text)
        let id = SessionID(ofCode: code.text)
        guard let box = try await codes.find(code.key),
            let record = AuthorizationCode(opening: box, for: code, keys)
        else {
            // If tokens were issued for this code, two parties have it.
            try await sessions.endSession(ofReusedCode: id, by: client)
            return refuse(nil, "unknown-code", client, request)
        }
        // Another client cannot use the code, so it does not use it up either.
        guard ExactText(record.grant.client) == ExactText(client.id) else {
            return refuse(record.person, "other-client", client, request)
        }
        let response = try await redeem(record, id: id, form, client, request)
        // Also after a refusal, so that a caller with a wrong verifier cannot try another one.
        guard try await codes.consume(code.key) != nil else {
            try await sessions.endSession(ofReusedCode: id, by: client)
            return refuse(record.person, "used-code", client, request)
        }
        return response
    }

    private func redeem(
        _ record: AuthorizationCode, id: SessionID, _ form: FormFields, _ client: RegisteredClient,
        _ request: ServerRequest
    ) async throws -> ServerResponse {
        guard services.now() < record.expires else { return refuse(record.person, "expired-code", client, request) }
        // OAuth 2.1 does not require the address any more, because the verifier binds the code to the client.
        guard
            form["redirect_uri"].map({ ExactText($0) == ExactText(record.redirect) }) ?? (record.challenge != nil)
        else { return refuse(record.person, "other-redirect", client, request) }
        guard record.isVerified(by: form["code_verifier"]) else {
            return refuse(record.person, "wrong-verifier", client, request)
        }
        if let refusal = Self.otherResource(form, record.grant) { return refusal }
        // RFC 9449 §10: the code is good only for the key that the authorization request named.
        guard record.keyThumbprint == nil || record.keyThumbprint == RequestProof.current?.thumbprint else {
            return refuse(record.person, "other-key", client, request)
        }
        switch try await person(
            record.person, epoch: record.sessionEpoch, browser: record.browser, allowing: record.grant)
        {
        case .failure(let change): return refuse(record.person, change.reason, client, request)
        case .success(let person):
            do {
                return try await whileLive(record.browser) {
                    try await issue(
                        record.grant, for: person, id: id,
                        Authentication(
                            time: record.authenticated, methods: record.methods, nonce: record.nonce,
                            browser: record.browser), client, request)
                }
            } catch let error as GatewayError where error.code == .unknownPerson {
                return refuse(person.id, "person-changed", client, request)
            } catch let error as GatewayError where error.code == .sessionEnded {
                return refuse(person.id, "browser-signed-out", client, request)
            } catch let error as GatewayError where error.code == .unknownClient {
                return refuse(person.id, "access-removed", client, request)
            } catch let refusal as ClientRefusal {
                return refuse(person.id, refusal.reason, client, request)
            } catch let error as GatewayError where error.code == .codeUsed {
                return refuse(person.id, "used-code", client, request)
            }
        }
    }

    /// What changed since a person allowed a client to sign in.
    struct Change: Error {
        /// The reason in the audit log.
        let reason: StaticString
    }

    /// How and when a person authenticated.
    struct Authentication {
        /// When the person authenticated, to the second.
        let time: Date
        let methods: AuthenticationMethods
        /// The nonce of the request.
        let nonce: String?
        /// The session of the browser in which the person allowed the grant.
        let browser: SessionID
    }

    /// Returns the person who allowed a client to sign in, or what changed since.
    ///
    /// - Parameters:
    ///   - id: The person.
    ///   - epoch: How often all sessions of the person had been ended by then.
    ///   - browser: The session of the browser in which the person allowed it.
    ///   - grant: The grant that the person must still allow. Nil when it is not a client's.
    /// - Returns: The person, or what changed.
    /// - Throws: `DatabaseError`.
    func person(
        _ id: UUID, epoch: Int, browser: SessionID, allowing grant: ClientGrant?
    ) async throws -> Result<Person, Change> {
        guard let person = try await services.people.find(id: id), person.isActive, person.sessionEpoch == epoch else {
            return .failure(Change(reason: "person-changed"))
        }
        // The person may have signed out of the browser since.
        guard try await services.sessions.ownSession(browser, of: person.id) != nil else {
            return .failure(Change(reason: "browser-signed-out"))
        }
        // The person may have removed the client's access since.
        if let grant, try await !services.clients.isAllowed(grant, by: person.id) {
            return .failure(Change(reason: "access-removed"))
        }
        return .success(person)
    }

    /// Issues tokens. Every write until they are stored checks that the session of the browser in which the person allowed
    /// them is live, because another process may end it after it was read.
    ///
    /// - Throws: ``GatewayError/Code/sessionEnded``; the errors of `issue`.
    func whileLive<Value>(_ browser: SessionID, _ issue: () async throws -> Value) async throws -> Value {
        try await RequestActor.checkingWrites(now: services.now) {
            RequestActor.identify(.session(browser))
            return try await issue()
        }
    }

    /// Starts a session of a client and returns the response with its tokens.
    ///
    /// - Throws: ``GatewayError/Code/unknownPerson`` when the person was disabled, removed or signed out everywhere;
    ///   ``GatewayError/Code/unknownClient`` when the client's access was removed; ``ClientRefusal`` when the person may
    ///   not sign in to the client.
    func issue(
        _ grant: ClientGrant, for person: Person, id: SessionID, _ authentication: Authentication,
        _ client: RegisteredClient, _ request: ServerRequest
    ) async throws -> ServerResponse {
        let device = SessionDevice(
            name: client.name, kind: SessionDevice.clientKind, address: origin(of: request).address.description)
        guard try await RequestProof.recordCurrent(of: person.id) else {
            return refuse(person.id, "repeated-proof", client, request)
        }
        let tokens: ClientTokens
        do {
            tokens = try await sessions.issue(
                grant, to: client, for: person, device: device, id: id, authenticated: authentication.time,
                from: authentication.browser, methods: authentication.methods, signer: try await signer(client),
                requiresConsent: true, isTold: client.signOut.address != nil, binding: Self.binding(for: client))
        } catch let error as GatewayError where error.code == .tooManySessions {
            return Self.tooManySignIns
        }
        // The new session may have displaced the browser's, if the person has too many.
        RequestActor.forget()
        recordSignIn(of: person.id, tokens.session, device, client, request)
        return try await response(tokens, client, nonce: authentication.nonce)
    }

    /// Records that a person signed in to a client.
    func recordSignIn(
        of person: UUID, _ session: SessionID?, _ device: SessionDevice, _ client: RegisteredClient,
        _ request: ServerRequest
    ) {
        services.metrics.exchange(.succeeded)
        services.audit.record(
            AuditEvent(
                .signIn, person: person, session: session, address: origin(of: request).address.description,
                request: request.id, device: device, client: client.id))
    }

    private func refresh(_ form: FormFields, _ client: RegisteredClient) async throws -> ServerResponse {
        guard let token = form["refresh_token"] else {
            return TokenResponses.invalidRequest("The parameter refresh_token is missing.")
        }
        // Only for a token of this server, so that nobody else fills the memory of used proofs.
        guard try await sessions.recordProof(ofRefreshToken: token) else { return Self.invalidGrant }
        switch try await sessions.refresh(
            token, of: client, signer: try await signer(client), binding: Self.binding(for: client))
        {
        case .tokens(let tokens):
            if let refusal = Self.otherResource(form, tokens.grant) ?? Self.widerScope(form, tokens.grant) {
                return refusal
            }
            return try await response(tokens, client)
        case .otherKey: return RequestProof.current == nil ? ProofRefusal.missing.tokenResponse : Self.invalidGrant
        case .refused, .stolen: return Self.invalidGrant
        }
    }

    /// Returns what signs the access tokens of a client. Nil for a client with opaque ones.
    private func signer(_ client: RegisteredClient) async throws -> AccessTokenSigner? {
        guard client.accessTokens == .signed else { return nil }
        let latest = services.now() + services.settings.authorizationServer.accessTokenLifetime
        return AccessTokenSigner(
            key: try await services.signingKeys.signer(until: latest), issuer: issuer, ownAudience: ownAudience,
            otherAudiences: services.settings.dialectAudiences)
    }

    /// The key whose possession the request proves. Nil without a proof.
    private static func binding(for client: RegisteredClient) -> TokenBinding? {
        RequestProof.current.map {
            TokenBinding(thumbprint: $0.thumbprint, includesRefreshTokens: !client.isConfidential)
        }
    }

    /// Returns the refusal of a request for tokens of other resources than the person allowed, or of only some of them.
    ///
    /// Source: RFC 8707 §2.2.
    private static func otherResource(_ form: FormFields, _ grant: ClientGrant) -> ServerResponse? {
        let asked = Set(form.values("resource"))
        guard !asked.isEmpty, asked != Set(grant.audience) else { return nil }
        return TokenResponses.refusal(
            error: "invalid_target", description: "The resources must be those of the authorization request.")
    }

    /// Returns the refusal of a refresh with more scopes than the person allowed. With fewer, the tokens keep all of them,
    /// and the response says so.
    ///
    /// Source: RFC 6749 §6.
    private static func widerScope(_ form: FormFields, _ grant: ClientGrant) -> ServerResponse? {
        let asked = (form["scope"] ?? "").split(atByte: " ").map { ExactText(String($0)) }
        guard !Set(asked).isSubset(of: grant.scopes.map(ExactText.init)) else { return nil }
        return TokenResponses.refusal(
            error: "invalid_scope", description: "The scope must not contain more than the person allowed.")
    }

    /// Refuses a code, and records why.
    func refuse(
        _ person: UUID?, _ reason: StaticString, _ client: RegisteredClient, _ request: ServerRequest
    ) -> ServerResponse {
        services.metrics.exchange(.refused)
        recordFailure(of: person, reason, client, request)
        return Self.invalidGrant
    }

    /// The response to a client that signs a person in too often.
    private static let tooManySignIns = TokenResponses.refusal(
        .tooManyRequests, error: "temporarily_unavailable",
        description: "The person has signed in to this client too often in the last hour. Use the refresh token."
    ).retry(after: .seconds(600))

    /// The response to a code or refresh token that is not valid, for any reason.
    ///
    /// Source: RFC 6749 §5.2.
    private static let invalidGrant = TokenResponses.refusal(
        error: "invalid_grant", description: "The code or token is not valid for this client. Sign in again.")

    /// Returns the response with tokens, with an ID token after a sign-in with OpenID Connect.
    private func response(
        _ tokens: ClientTokens, _ client: RegisteredClient, nonce: String? = nil
    ) async throws -> ServerResponse {
        var members: [JSONValue.Member?] = [
            .init("access_token", .string(tokens.accessToken.reveal())), Self.tokenType(tokens.keyThumbprint),
            .init("expires_in", .number(tokens.expiresIn.seconds.rounded(.down))),
            client.settings.issuesRefreshTokens
                ? .init("refresh_token", .string(tokens.refreshToken.reveal())) : nil,
            Self.scope(tokens.grant),
        ]
        if tokens.grant.scopes.contains(OAuthScope.openid.rawValue) {
            members.append(.init("id_token", .string(try await idToken(tokens, client, nonce))))
        }
        return ServerResponse(
            status: .ok, headers: .privateJSON, body: JSONValue.object(members.compactMap { $0 }).encoded())
    }

    /// The `scope` of a token. Nil without scopes, because an empty text is not valid.
    ///
    /// Source: RFC 6749 §3.3.
    static func scope(_ grant: ClientGrant) -> JSONValue.Member? {
        grant.scopes.isEmpty ? nil : .init("scope", .string(grant.scopes.joined(separator: " ")))
    }

    /// The `token_type` of an access token, by the key that it is bound to.
    ///
    /// Source: RFC 6750 §6.1.1; RFC 9449 §5 and §6.2.
    static func tokenType(_ keyThumbprint: String?) -> JSONValue.Member {
        .init("token_type", keyThumbprint == nil ? "Bearer" : "DPoP")
    }

    /// How long an ID token is valid.
    private static let idTokenLifetime = Duration.seconds(600)

    /// Source: OpenID Connect Core §2, §3.1.3.6 and §12.2; OpenID Connect Front-Channel Logout §3 for `sid`.
    private func idToken(
        _ tokens: ClientTokens, _ client: RegisteredClient, _ nonce: String?
    ) async throws -> String {
        let now = services.now()
        let expiry = now + Self.idTokenLifetime
        let key = try await services.signingKeys.signer(until: expiry)
        let claims: [JSONValue.Member?] = [
            .init("iss", .string(issuer)), .init("sub", .string(Self.subject(tokens.person))),
            .init("aud", .string(tokens.grant.client)),
            .init("exp", .number(expiry.timeIntervalSince1970.rounded(.down))),
            .init("iat", .number(now.timeIntervalSince1970.rounded(.down))),
            .init("auth_time", .number(tokens.authenticated.timeIntervalSince1970.rounded(.down))),
            .init("acr", .string(tokens.methods.level.rawValue)), Self.methods(tokens.methods),
            nonce.map { .init("nonce", .string($0)) },
            .init("at_hash", .string(key.algorithm.halfHash(of: tokens.accessToken))),
            .init("sid", .string(tokens.session.rawValue)),
        ]
        let members = claims.compactMap { $0 } + (try await personClaims(tokens, client))
        return try key.sign(payload: JSONValue.object(members).encoded())
    }

    /// The claims about the person of an ID token: none, or those of UserInfo.
    private func personClaims(_ tokens: ClientTokens, _ client: RegisteredClient) async throws -> [JSONValue.Member] {
        guard client.settings.hasIDTokenClaims, let owner = try await sessions.owner(of: tokens.session) else {
            return []
        }
        return Self.claims(of: owner.person, in: owner.groups, tokens.grant)
    }

    /// The `amr` of a token. Nil when it is not known how the person authenticated.
    static func methods(_ methods: AuthenticationMethods) -> JSONValue.Member? {
        methods.values.isEmpty ? nil : .init("amr", .array(methods.values.map { .string($0) }))
    }

    /// The `sub` of a person.
    static func subject(_ person: UUID) -> String { person.uuidString.lowercased() }
}
