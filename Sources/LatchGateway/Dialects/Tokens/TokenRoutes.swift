import Crypto
import HTTPServer
import OAuth
import Wire

/// What servers and programmes that know OAuth ask about a token: introspection, revocation, and where both are.
///
/// A value without state, under the prefix of the dialect whose tokens they are.
///
/// Source: RFC 7662, RFC 7009.
struct TokenRoutes: Sendable {
    /// What stands before the paths.
    let prefix: String
    /// The address that the server is known by, without the prefix.
    let address: PublicAddress
    /// The issuer: the configured address with the prefix.
    let issuerAddress: String?
    /// The issuer of tokens that are signed, where such are given out.
    let signedIssuerAddress: String?
    /// Where the keys for such are, below the prefix; nil where its tokens are not signed.
    let keysPath: String?
    /// Whether a sign-in through an identity provider may end at any port of a loopback address.
    let allowsLoopbackRedirects: Bool
    /// Who may introspect, by id; nobody, and there is no such endpoint.
    let clients: [ExactText: IntrospectionClient]
    /// What most of them send with every request: known at a glance, without decoding it.
    let basicFields: Set<SHA256Digest>
    let issuer: any SessionIssuer
    let proxies: TrustedProxies
    let audit: AuditLog
    let log: Log

    /// Adds the routes.
    func add(to router: inout Router) {
        router.on(.post, prefix + Self.revocation) { await revoke($0) }
        if !clients.isEmpty {
            router.on(
                .post, prefix + Self.introspection,
                synchronousHandler: { introspectAtOnce($0) }, handler: { await introspect($0) })
        }
        if let issuer = issuerAddress {
            let page = metadata(of: issuer)
            router.on(.get, LatchdMetadata.path(of: issuer), synchronousHandler: { _ in page }, handler: { _ in page })
        } else {
            router.on(.get, LatchdMetadata.path(of: "http://localhost" + prefix)) { request in
                address.base(of: request).map { metadata(of: $0 + prefix) } ?? TokenAnswers.noMetadata
            }
        }
    }

    static let introspection = "/auth/introspect"
    static let revocation = "/auth/revoke"

    /// `POST /auth/revoke`: ends the session of a token. Who holds a token may end it, so a client without a secret need
    /// not say who it is; one that says so must be right.
    ///
    /// Source: RFC 7009 §2.1, §2.2: 200 for a token that is not known.
    func revoke(_ request: ServerRequest) async -> ServerResponse {
        let form: FormFields
        switch Self.form(request) {
        case .failure(let refusal): return refusal.response
        case .success(let read): form = read
        }
        switch ClientCredentials(request, form) {
        case .ambiguous: return Self.oneWay
        case .unreadable: return TokenAnswers.invalidClient
        case .secret(let id, let secret, _) where clients[ExactText(id)]?.secret != secret:
            return TokenAnswers.invalidClient
        case .none, .secret: break
        }
        guard let token = Self.token(form) else { return Self.oneToken }
        do {
            if let ended = try await issuer.end(token) {
                audit.record(
                    AuditEvent(
                        .signedOut, person: ended.person, session: ended.session,
                        address: proxies.client(of: request).description, request: request.id))
            }
            return ServerResponse.emptyOK
        } catch {
            return failure(error, request)
        }
    }

    /// The answer to an error of the database.
    func failure(_ error: any Error, _ request: ServerRequest) -> ServerResponse {
        log.error("A token could not be looked up.", ["error": .words(of: error), "request": .text(request.id)])
        return TokenAnswers.unavailable
    }

    /// Why a request was refused before its token was looked at.
    struct Refusal: Error {
        let response: ServerResponse
    }

    static func form(_ request: ServerRequest) -> Result<FormFields, Refusal> {
        do throws(RequestError) {
            return .success(try request.form())
        } catch {
            return .failure(
                Refusal(
                    response: TokenAnswers.invalidRequest(
                        "A form is required, as application/x-www-form-urlencoded.", error.status)))
        }
    }

    /// The one `token` of a form. A hint about its type is not needed: there is one place to look.
    static func token(_ form: FormFields) -> String? {
        let tokens = form.values("token")
        return tokens.count == 1 && !tokens[0].isEmpty ? tokens[0] : nil
    }

    static let oneWay = TokenAnswers.invalidRequest("A client says who it is in one way, once.")
    static let oneToken = TokenAnswers.invalidRequest("One token is required.")
}
