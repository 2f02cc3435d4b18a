package import Crypto
package import GatewayConfiguration
package import GatewayCore
import GatewayHTTP
package import HTTPMessages
package import HTTPServer
import OAuth

/// The routes for servers and programs that use OAuth: introspection and revocation of tokens, and the metadata of
/// both.
///
/// A value without state, under the prefix of the dialect whose tokens it serves.
///
/// Source: RFC 7662, RFC 7009.
package struct TokenRoutes: Sendable {
    /// The path prefix of the routes.
    package let prefix: String
    /// The address of the server, without the prefix.
    package let address: PublicAddress
    /// The issuer: the configured address with the prefix. Nil when no address is configured.
    package let issuerAddress: String?
    /// The issuer of signed tokens; nil when no dialect issues them.
    package let signedIssuerAddress: String?
    /// The path of the public keys for signed tokens, below the prefix; nil when the tokens are not signed.
    package let keysPath: String?
    /// Whether a sign-in through an identity provider may end at any port of a loopback address.
    package let allowsLoopbackRedirects: Bool
    /// The algorithms of proofs of possession. Empty when tokens are not bound to keys.
    package let proofAlgorithms: [String]
    /// The clients that may introspect tokens, by id. When it is empty, there is no introspection endpoint.
    let clients: [ExactText: IntrospectionClient]
    /// The hashes of the `Authorization` fields that most clients send. Such a field is recognized without decoding it.
    let basicFields: Set<SHA256Digest>
    let issuer: any SessionIssuer
    let limits: RequestLimits
    let proxies: TrustedProxies
    let audit: AuditLog
    package let log: Log

    /// Creates the routes below a prefix.
    package init(
        prefix: String, address: PublicAddress, issuerAddress: String?, signedIssuerAddress: String?, keysPath: String?,
        allowsLoopbackRedirects: Bool, proofAlgorithms: [String], clients: [ExactText: IntrospectionClient],
        basicFields: Set<SHA256Digest>, issuer: any SessionIssuer, limits: RequestLimits, proxies: TrustedProxies,
        audit: AuditLog, log: Log
    ) {
        self.prefix = prefix
        self.address = address
        self.issuerAddress = issuerAddress
        self.signedIssuerAddress = signedIssuerAddress
        self.keysPath = keysPath
        self.allowsLoopbackRedirects = allowsLoopbackRedirects
        self.proofAlgorithms = proofAlgorithms
        self.clients = clients
        self.basicFields = basicFields
        self.issuer = issuer
        self.limits = limits
        self.proxies = proxies
        self.audit = audit
        self.log = log
    }

    /// Adds the routes to a router.
    package func add(to router: inout Router) {
        router.on(.post, prefix + Self.revocation) { await revoke($0) }
        if !clients.isEmpty {
            router.on(
                .post, prefix + Self.introspection,
                synchronousHandler: { cachedIntrospection($0) }, handler: { await introspect($0) })
        }
        if let issuer = issuerAddress {
            let page = metadata(of: issuer)
            router.on(.get, LatchdMetadata.path(of: issuer), synchronousHandler: { _ in page }, handler: { _ in page })
        } else {
            router.on(.get, LatchdMetadata.path(of: "http://localhost" + prefix)) { request in
                address.base(of: request).map { metadata(of: $0 + prefix) } ?? TokenResponses.noMetadata
            }
        }
    }

    package static let introspection = "/auth/introspect"
    static let revocation = "/auth/revoke"

    /// `POST /auth/revoke`: ends the session of a token. Possession of the token is enough, so a client without a
    /// secret need not authenticate. Credentials that are sent must be correct. A token without a live session counts
    /// for the address.
    ///
    /// Source: RFC 7009 §2.1, §2.2: 200 for an unknown token.
    package func revoke(_ request: ServerRequest) async -> ServerResponse {
        let form: FormFields
        switch Self.form(request) {
        case .failure(let refusal): return refusal.response
        case .success(let read): form = read
        }
        switch ClientCredentials(request, form) {
        case .ambiguous: return TokenResponses.ambiguousCredentials
        case .unreadable, .assertion: return TokenResponses.invalidClient
        case .secret(let id, let secret) where !(clients[ExactText(id)].map { secret.matches($0.secret) } ?? false):
            return TokenResponses.invalidClient
        case .none, .secret: break
        }
        guard let token = Self.token(form) else { return TokenResponses.tokenRequired }
        do {
            let address = proxies.client(of: request)
            guard let ended = try await issuer.end(token) else {
                return limits.consume(.address, .from(address)).map(TokenResponses.tooMany) ?? ServerResponse.emptyOK
            }
            audit.record(
                AuditEvent(
                    .signedOut, person: ended.person, session: ended.session, address: address.description,
                    request: request.id))
            return ServerResponse.emptyOK
        } catch {
            return failure(error, request)
        }
    }

    /// Returns the response to a database error.
    package func failure(_ error: any Error, _ request: ServerRequest) -> ServerResponse {
        log.failure("Could not look up a token.", error, request: request.id)
        return TokenResponses.unavailable
    }

    /// The response to a request that is refused before its token is looked up.
    package struct Refusal: Error {
        package let response: ServerResponse
    }

    package static func form(_ request: ServerRequest) -> Result<FormFields, Refusal> {
        do throws(RequestError) {
            return .success(try request.form())
        } catch {
            return .failure(
                Refusal(
                    response: TokenResponses.invalidRequest(
                        "The body must be a form of type application/x-www-form-urlencoded.", error.status)))
        }
    }

    /// Returns the only `token` of a form, or nil when there is none or more than one. The type hint is ignored,
    /// because all tokens are looked up in the same place.
    package static func token(_ form: FormFields) -> String? {
        let tokens = form.values("token")
        return tokens.count == 1 && !tokens[0].isEmpty ? tokens[0] : nil
    }
}
