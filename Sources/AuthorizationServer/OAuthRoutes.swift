import Crypto
import FoundationEssentials
import GatewayConfiguration
import GatewayCore
package import GatewayHTTP
import GatewayPages
package import HTTPMessages
package import HTTPServer
import OAuth
import SignInBridge

/// The endpoints of the authorization server, for any client of OAuth 2.1 and OpenID Connect.
///
/// People sign in on the gateway's pages, with a password or at an identity provider, and allow the client what it asks
/// for.
///
/// Source: RFC 6749; RFC 7636; RFC 9700; OpenID Connect Core.
package struct OAuthRoutes: ServiceDialect {
    package let services: GatewayServices
    let pages: PageRoutes
    let sessions: ClientSessionStore
    let codes: any CodeStore
    /// The ids of the assertions that clients have used.
    let assertions: UsedIDs
    let keys: BridgeKeys
    let pending: PendingRequests
    let devices: DeviceRequestStore
    /// The dialects that devices can sign in to with the client ``RegisteredClient/latch``, by their ids.
    let deviceDialects: [String: any DeviceDialect]
    /// The issuer: the configured address.
    let issuer: String
    let refusals = LineLimit()
    /// Limits the audit events about clients that did not authenticate.
    let failures = LineLimit()

    package var name: String { "oauth" }
    package var prefix: String { "/oauth2" }
    /// True: other callers at an address must not use up what its clients and sessions need.
    package var countsBodies: Bool { true }

    /// Creates the routes, for the given dialects of the gateway. Nil when the settings do not enable the authorization
    /// server, or what it needs.
    package init?(services: GatewayServices, dialects: [any DeviceDialect]) {
        guard services.settings.pages.isEnabled, let sessions = services.clientSessions, let codes = services.codes,
            let devices = services.deviceRequests, let assertions = services.clientAssertions, let keys = services.keys,
            let issuer = services.address.configured
        else { return nil }
        self.services = services
        self.sessions = sessions
        self.codes = codes
        self.assertions = assertions
        self.keys = keys
        self.issuer = issuer
        self.devices = devices
        let served = services.settings.authorizationServer.servesDialectsToDevices ? dialects : []
        deviceDialects = Dictionary(served.map { ($0.deviceID, $0) }) { first, _ in first }
        pages = PageRoutes(services: services)
        pending = PendingRequests(
            store: services.waitingRequests, keys: keys, proxies: services.proxies,
            path: "/oauth2" + Self.authorization, isSecure: services.address.isSecure, now: services.now)
    }

    /// Whether the path is below the prefix, or that of the server's metadata.
    package func owns(_ path: String) -> Bool {
        path.hasPrefix(prefix + "/") || Self.metadataPaths(of: issuer).contains(path)
    }

    /// Adds the routes.
    package func add(to router: inout Router) {
        addAuthorization(to: &router)
        addCrossOrigin(Self.pushed, countsClients: true, to: &router) { try await $0.push($1) }
        addDevicePage(to: &router)
        add(.post, Self.deviceAuthorization, to: &router) { try await $0.authorizeDevice($1) }
        addCrossOrigin(Self.token, countsClients: true, to: &router) { try await $0.token($1) }
        addCrossOrigin(Self.revocation, countsClients: true, to: &router) { try await $0.revoke($1) }
        add(.post, Self.introspection, to: &router) { try await $0.introspect($1) }
        addCrossOrigin(Self.userInfo, to: &router) { try await $0.userInfo($1) }
        addSignOut(to: &router)
        addRegistration(to: &router)
        addMetadata(to: &router)
    }

    static let authorization = "/authorize"
    static let pushed = "/par"
    static let token = "/token"
    static let deviceAuthorization = "/device_authorization"
    /// The page on which a person enters the code of a device.
    static let device = "/device"
    static let revocation = "/revoke"
    static let introspection = "/introspect"
    static let userInfo = "/userinfo"
    static let keySet = "/jwks"
    static let registration = "/register"
    static let endSession = "/end_session"

    package func failure(_ error: any Error, _ request: ServerRequest) -> ServerResponse {
        if let refusal = error as? Refusal { return refusal.response }
        if let error = error as? GatewayError, error.code == .busy { return TokenResponses.unavailable }
        services.log.failure("A request to the authorization server failed.", error, request: request.id)
        return TokenResponses.unavailable
    }

    /// Returns the response to a request whose proof of possession is refused: 401 at the userinfo endpoint, 400 at the
    /// others, where the client is not authenticated by a token.
    ///
    /// Source: RFC 9449 §5 and §7.1.
    package func proofError(_ refusal: ProofRefusal, for request: ServerRequest) -> ServerResponse {
        guard request.path == prefix + Self.userInfo else { return readable(refusal.tokenResponse, at: request.path) }
        let response = ServerResponse(status: .unauthorized, headers: ["Cache-Control": "no-store"], body: [])
        return readable(refusal.challenging(response), at: request.path)
    }

    /// Returns the response to a request that the server refuses before any route runs.
    package func serverError(_ status: HTTPStatus, _ sentence: String, for request: RefusedRequest) -> ServerResponse {
        if [Self.authorization, Self.device, Self.endSession].contains(where: { request.path == prefix + $0 }) {
            return pages.serverError(status, sentence, for: request)
        }
        let response = ServerResponse(
            status: status, headers: .privateJSON,
            body: JSONValue.object([
                .init("error", .string(status == .tooManyRequests ? "temporarily_unavailable" : "invalid_request")),
                .init("error_description", .string(sentence)),
            ]).encoded())
        return readable(response, at: request.path)
    }

    /// The audience of a client's tokens for no protected server: the userinfo endpoint, the only place that accepts
    /// them. The issuer would be the audience of the tokens of a dialect too.
    ///
    /// Source: RFC 9068 §3, the default resource indicator.
    var ownAudience: String { issuer + prefix + Self.userInfo }

    /// Whether a client can get tokens for an address: an address on a host that an access rule protects.
    ///
    /// This server's own host is not protected. A client with signed tokens does not get one with the audience of the
    /// signed tokens of a dialect.
    ///
    /// Source: RFC 8707 §2.
    func isResource(_ address: String, for client: RegisteredClient) -> Bool {
        guard services.settings.verify.isEnabled, !address.utf8.contains(UInt8(ascii: "#")),
            !address.utf8.contains(UInt8(ascii: "?")),
            client.accessTokens == .opaque || !services.settings.dialectAudiences.contains(address)
        else { return false }
        let (rules, isSecure) = (services.settings.verify.rules, services.address.isSecure)
        let found = ReturnAddress.check(address) { host, scheme in
            (scheme == "https" || !isSecure) && rules.protect(host, scheme) && host != services.address.host
        }
        return found?.origin != nil
    }
}

extension OAuthRoutes {
    /// The scopes that access rules require, in addition to those of OpenID Connect.
    var ruleScopes: [String] {
        let verify = services.settings.verify
        return verify.isEnabled ? verify.rules.scopes : []
    }

    /// All scopes.
    var supportedScopes: [String] { OAuthScope.allCases.map(\.rawValue) + ruleScopes }

    /// Checks the parameters of an authorization request.
    ///
    /// - Throws: ``AuthorizationError``.
    func parameters(
        _ fields: FormFields, to destination: AuthorizationParameters.Destination
    ) throws(AuthorizationError) -> AuthorizationParameters {
        try AuthorizationParameters(fields, to: destination, ruleScopes: ruleScopes) {
            isResource($0, for: destination.client)
        }
    }

    /// A request that is refused with a response of OAuth.
    struct Refusal: Error {
        let response: ServerResponse
    }

    /// Reads a form, in which each parameter except `resource` occurs once.
    ///
    /// Source: RFC 6749 §3.2.
    static func form(_ request: ServerRequest) throws(Refusal) -> FormFields {
        let form: FormFields
        do throws(RequestError) {
            form = try request.form().withValues
        } catch {
            throw Refusal(
                response: TokenResponses.invalidRequest(
                    "The body must be a form of type application/x-www-form-urlencoded.", error.status))
        }
        guard !form.repeatsName(except: "resource") else {
            throw Refusal(response: TokenResponses.invalidRequest("A parameter occurs more than once."))
        }
        return form
    }

    /// Reads the form of a client, and authenticates the client: one with a secret by the secret, one with keys by a
    /// signed statement, a public one by its id.
    ///
    /// - Throws: ``Refusal``; `DatabaseError`.
    ///
    /// Source: RFC 6749 §2.3.1 and §3.2.1.
    func clientForm(_ request: ServerRequest) async throws -> (form: FormFields, client: RegisteredClient) {
        let form = try countedForm(request)
        return (form, try await client(of: request, form))
    }

    /// Authenticates the client of a form, and counts the request, as ``OAuthRoutes+Limits.swift`` says.
    func client(of request: ServerRequest, _ form: FormFields) async throws -> RegisteredClient {
        let credentials = ClientCredentials(request, form)
        try admit(request, form, credentials)
        do {
            return try await client(of: request, form, credentials)
        } catch let refusal as Refusal where refusal.response.status == .unauthorized {
            try countFailure(of: request, credentials)
            throw refusal
        }
    }

    private func client(
        of request: ServerRequest, _ form: FormFields, _ credentials: ClientCredentials
    ) async throws -> RegisteredClient {
        switch credentials {
        case .ambiguous: throw Refusal(response: TokenResponses.ambiguousCredentials)
        case .unreadable: throw Refusal(response: TokenResponses.invalidClient)
        case .none: return try await client(form["client_id"], secret: nil, request)
        // Some libraries send an empty secret for a public client.
        case .secret(let id, let secret):
            let client = try await client(id, secret: secret.isEmpty ? nil : secret, request)
            if client.isConfidential { try count(client, request) }
            return client
        case .assertion(let text, let type, let id):
            do {
                return try await client(id, assertion: text, type, request)
            } catch let refusal as Refusal where refusal.response.status == .unauthorized {
                let named = id ?? ClientAssertion(text, now: services.now())?.client
                throw try await recordFailure(refusal, named, "wrong-client-assertion", request)
            }
        }
    }

    private func client(_ id: String?, secret: SentSecret?, _ request: ServerRequest) async throws -> RegisteredClient {
        guard let id, !id.isEmpty else { throw Refusal(response: TokenResponses.clientIDMissing) }
        let client = id.utf8.count <= 255 ? try await services.clients.client(id) : nil
        guard let client, client.keys == nil,
            client.secretHash.map({ secret?.matches($0) ?? false }) ?? (secret == nil)
        else {
            let missing: StaticString = client?.keys == nil ? "missing-client-secret" : "missing-client-assertion"
            throw try await recordFailure(
                Refusal(response: TokenResponses.invalidClient), id, secret == nil ? missing : "wrong-client-secret",
                request)
        }
        return client
    }
}

extension FormFields {
    /// The parameters that have a value. A parameter without one means the same as none.
    ///
    /// Source: RFC 6749 §3.1 and §3.2.
    var withValues: FormFields { FormFields(pairs.filter { !$0.value.isEmpty }) }
}
