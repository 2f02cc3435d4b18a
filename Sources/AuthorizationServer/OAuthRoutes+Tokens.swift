import Crypto
import FoundationEssentials
import GatewayConfiguration
import GatewayCore
import GatewayHTTP
import HTTPMessages
import HTTPServer
import Primitives
import SignInBridge

extension OAuthRoutes {
    /// `POST /oauth2/par`: stores the parameters of an authorization request.
    ///
    /// With a proof of possession, the tokens must be bound to its key.
    ///
    /// Source: RFC 9126 §2; RFC 9449 §10.1.
    func push(_ request: ServerRequest) async throws -> ServerResponse {
        let (form, client) = try await clientForm(request)
        guard form["request_uri"] == nil else {
            return TokenResponses.invalidRequest("The parameter request_uri cannot be pushed.")
        }
        var fields = AuthorizationParameters.read(form)
        fields.pairs.removeAll { $0.name == "client_id" }
        fields.pairs.append(("client_id", client.id))
        if let proof = RequestProof.current {
            guard fields[AuthorizationParameters.thumbprintName].map({ $0 == proof.thumbprint }) ?? true else {
                return ProofRefusal.invalid("The dpop_jkt is not that of the key of the proof.").tokenResponse
            }
            fields.pairs.removeAll { $0.name == AuthorizationParameters.thumbprintName }
            fields.pairs.append((AuthorizationParameters.thumbprintName, proof.thumbprint))
        }
        do {
            let destination = try await destination(fields) { _ in client }
            _ = try parameters(fields, to: destination)
        } catch is AuthorizationParameters.InvalidClient {
            recordRefusal(of: client.id, "unregistered-redirect", redirect: fields["redirect_uri"], request)
            return TokenResponses.invalidRequest("The redirect_uri is missing or not registered.")
        } catch let error as AuthorizationError {
            recordRefusal(of: client.id, error.sentence, request)
            return TokenResponses.refusal(error: error.code, sentence: error.sentence)
        }
        // If the proof was used before, the response is replaced. That of a public client is not recorded, because anybody
        // could fill the memory of used proofs with such requests. Repeating it only stores the same request again.
        if client.isConfidential { _ = try await RequestProof.current?.isFirstUse(of: nil) }
        // Anybody could fill the share of a client that does not authenticate, or that registered itself.
        let isKnown = client.isConfidential && client.registration == nil
        let handle = try await pending.push(
            PendingRequest(fields, client: client.id, received: services.now(), isPushed: true),
            of: isKnown ? .client(client.id) : .address(services.proxies.client(of: request)))
        return ServerResponse(
            status: .created, headers: .privateJSON,
            body: JSONValue.object([
                .init("request_uri", .string(PendingRequest.prefix + handle)),
                .init("expires_in", .number(PendingRequest.lifetime.seconds)),
            ]).encoded())
    }

    /// `POST /oauth2/revoke`: ends the session of a token of the client. The response is the same for an unknown token
    /// and for a token of another client.
    ///
    /// Source: RFC 7009 §2.1 and §2.2.
    func revoke(_ request: ServerRequest) async throws -> ServerResponse {
        let (form, client) = try await clientForm(request)
        guard let token = form["token"], !token.isEmpty else { return TokenResponses.tokenRequired }
        guard let ended = try await sessions.end(token, of: client.id) else {
            countWithoutEffect(token, of: client)
            return ServerResponse.emptyOK
        }
        services.audit.record(
            AuditEvent(
                .signedOut, person: ended.person, session: ended.session,
                address: services.proxies.client(of: request).description, request: request.id, client: client.id))
        return ServerResponse.emptyOK
    }

    /// `POST /oauth2/introspect`: tells a confidential client about its own access tokens, and a configured
    /// introspection client about all.
    ///
    /// Source: RFC 7662 §2.
    func introspect(_ request: ServerRequest) async throws -> ServerResponse {
        let form = try countedForm(request)
        let server = introspectionClient(request, form)
        if let server { try consume(.client, .client("introspection \(server)"), request) }
        let client = server == nil ? try await client(of: request, form) : nil
        guard client?.isConfidential ?? true else { return TokenResponses.invalidClient }
        guard let token = form["token"], !token.isEmpty else { return TokenResponses.tokenRequired }
        guard let access = try await sessions.introspect(token), !access.mustChangePassword, !access.grant.isOwn,
            client.map({ ExactText($0.id) == ExactText(access.grant.client) }) ?? true
        else { return TokenResponses.inactive }
        let session = access.session
        let scopes = Set(access.grant.scopes.compactMap(OAuthScope.init(rawValue:)))
        var members: [JSONValue.Member] = [
            .init("active", true), Self.tokenType(access.keyThumbprint),
            .init("client_id", .string(access.grant.client)),
            .init("sub", .string(Self.subject(session.person.id))),
            .init("username", .string(Self.username(of: session.person, server == nil ? scopes : [.email]))),
            .init("exp", .number(access.expires.timeIntervalSince1970.rounded(.down))), .init("iss", .string(issuer)),
        ]
        if let scope = Self.scope(access.grant) { members.append(scope) }
        // Dovecot reads it by default.
        if server != nil || scopes.contains(.email), let email = session.person.provedAddress {
            members.append(.init("email", .string(email.text)))
        }
        // Source: RFC 9470 §6.2.
        members += [
            .init("auth_time", .number(session.authenticated.timeIntervalSince1970.rounded(.down))),
            .init("acr", .string(session.methods.level.rawValue)),
        ]
        if let methods = Self.methods(session.methods) { members.append(methods) }
        if let thumbprint = access.keyThumbprint { members.append(AccessTokenClaims.confirmation(thumbprint)) }
        // Always, so that a server that compares it takes no token that is for another one.
        let audience = access.grant.audience.isEmpty ? [ownAudience] : access.grant.audience
        members.append(.init("aud", .array(audience.map { .string($0) })))
        return ServerResponse(status: .ok, headers: .privateJSON, body: JSONValue.object(members).encoded())
    }

    /// The id of the configured introspection client whose credentials these are. Nil for any other.
    private func introspectionClient(_ request: ServerRequest, _ form: FormFields) -> String? {
        guard case .secret(let id, let secret) = ClientCredentials(request, form) else { return nil }
        return services.settings.introspectionClients.first {
            ExactText($0.id) == ExactText(id) && secret.matches($0.secret)
        }?.id
    }

    /// `GET /oauth2/userinfo`: the claims about the person that the scopes of an access token allow.
    ///
    /// Source: OpenID Connect Core §5.3 and §5.4.
    func userInfo(_ request: ServerRequest) async throws -> ServerResponse {
        let tokens = RequestTokens(request, cookie: nil)
        guard let token = tokens.bearer ?? Self.tokenInForm(request) else { return Self.challenge(nil, tokens) }
        guard !tokens.isProofScheme || RequestProof.current != nil else {
            return proofError(.missing, for: request)
        }
        guard let access = try await sessions.authenticate(token), !access.mustChangePassword, !access.grant.isOwn
        else {
            return Self.challenge("invalid_token", tokens)
        }
        let scopes = Set(access.grant.scopes.compactMap(OAuthScope.init(rawValue:)))
        guard scopes.contains(.openid) else { return Self.challenge("insufficient_scope", tokens, .forbidden) }
        let session = access.session
        let members: [JSONValue.Member] = [.init("sub", .string(Self.subject(session.person.id)))]
        let claims = Self.claims(of: session.person, in: session.groups, access.grant)
        return ServerResponse(status: .ok, headers: .privateJSON, body: JSONValue.object(members + claims).encoded())
    }

    /// The access token in the form of a request without an `Authorization` field. Nil when there is none.
    ///
    /// Source: RFC 6750 §2.2; OpenID Connect Core §5.3.1.
    private static func tokenInForm(_ request: ServerRequest) -> String? {
        guard request.method == .post, request.headers["Authorization"] == nil, let form = try? request.form(),
            form.values("access_token").count == 1
        else { return nil }
        return form["access_token"]
    }

    /// The claims about a person, who is in some groups, that the scopes of a grant allow.
    ///
    /// Source: OpenID Connect Core §5.4.
    static func claims(of person: Person, in groups: [String], _ grant: ClientGrant) -> [JSONValue.Member] {
        let scopes = Set(grant.scopes.compactMap(OAuthScope.init(rawValue:)))
        var members: [JSONValue.Member] = []
        if scopes.contains(.profile) {
            if let name = person.name { members.append(.init("name", .string(name))) }
            members.append(.init("preferred_username", .string(username(of: person, scopes))))
        }
        if scopes.contains(.email) {
            // An address that only the person claims is not passed on.
            if let email = person.provedAddress { members.append(.init("email", .string(email.text))) }
            members.append(.init("email_verified", .bool(person.provedAddress != nil)))
        }
        if scopes.contains(.groups) { members.append(.init("groups", .array(groups.map { .string($0) }))) }
        return members
    }

    /// The name of a person for a client: with the scope `email` the proved address, otherwise the id.
    private static func username(of person: Person, _ scopes: Set<OAuthScope>) -> String {
        scopes.contains(.email) ? person.username : Self.subject(person.id)
    }

    /// Returns the response to a request without a valid token. `tokens` are those of a request that may have had one
    /// that is bound to a key; nil where such tokens are not used.
    ///
    /// Source: RFC 6750 §3 and §3.1; RFC 9449 §7.1.
    static func challenge(
        _ error: StaticString?, _ tokens: RequestTokens? = nil, _ status: HTTPStatus = .unauthorized
    ) -> ServerResponse {
        let detail = error.map { #", error="\#($0)""# } ?? ""
        let (bearer, proof) = (#"Bearer realm="latchd""#, #"DPoP realm="latchd", algs="\#(ProofRefusal.algorithms)""#)
        let challenge =
            switch tokens?.isProofScheme {
            case nil: bearer + detail
            case true?: proof + detail
            case false?: "\(bearer)\(detail), \(proof)"
            }
        return ServerResponse(
            status: status, headers: ["WWW-Authenticate": challenge, "Cache-Control": "no-store"], body: [])
    }
}
