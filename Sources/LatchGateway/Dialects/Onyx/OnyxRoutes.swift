import HTTPServer
import Wire

/// The routes of a server that speaks as Onyx does: the part with a password.
///
/// A value without state: what it uses lives in the gateway.
///
/// Source: contract of Onyx, endpoints; OX-1, OX-8.
struct OnyxRoutes: ServiceDialect {
    let services: GatewayServices

    var name: String { "dialects.onyx" }
    var prefix: String { settings.prefix }

    var settings: OnyxSettings { services.settings.onyx }
    var people: PeopleStore { services.people }
    var issuer: any SessionIssuer { services.issuer }
    var signIn: PasswordSignIn { services.signIn }
    var registration: Registration { services.registration }
    var proxies: TrustedProxies { services.proxies }
    var metrics: Metrics { services.metrics }
    var audit: AuditLog { services.audit }
    var log: Log { services.log }
    /// Sign-in through identity providers; nil where there are none.
    var bridge: Bridge? { services.bridge }
    /// The cookie of browsers that signed in; nil where none can.
    var cookie: SessionCookie? { services.cookie }
    /// Whether e-mail and password sign in.
    var allowsPasswords: Bool { services.settings.passwordsEnabled }

    /// Whatever lies below the prefix, when clients of Onyx can sign in.
    func owns(_ path: String) -> Bool {
        settings.isEnabled && (prefix.isEmpty || path == prefix || path.hasPrefix(prefix + "/"))
    }

    /// An error of the server itself, before any route.
    func serverError(_ status: HTTPStatus, _ sentence: String, _ request: RefusedRequest) -> ServerResponse {
        OnyxAnswers.serverError(status, sentence)
    }

    /// 422. A wrong password is 400 here.
    var unreadable: Set<HTTPStatus> { [.unprocessableContent] }

    /// Adds the routes under the dialect's prefix; where it is off, only the one that gives a session for a one-time code.
    func add(to router: inout Router) {
        if let bridge {
            addLimited(.post, "/auth/mobile/sso/exchange", to: &router) { try await $0.exchange($1, bridge) }
        }
        guard settings.isEnabled else { return }
        add(.get, "/auth/type", to: &router) { routes, _ in try await routes.authType() }
        add(.post, "/auth/mobile/login", to: &router) { try await $0.login($1) }
        add(.post, "/auth/mobile/refresh", to: &router) { await $0.refresh($1) }
        add(.post, "/auth/mobile/logout", to: &router) { try await $0.logout($1) }
        add(.post, "/auth/register", to: &router) { try await $0.register($1) }
        add(.get, "/me", to: &router, synchronousHandler: { $0.meAtOnce($1) }, { try await $0.me($1) })
    }

    /// Who sends a request. The client's own two fields say what its device is, else the program's name.
    func client(of request: ServerRequest) -> RequestOrigin {
        origin(
            of: request,
            SessionDevice(
                name: request.headers["deviceModel"] ?? request.headers["User-Agent"],
                kind: request.headers["deviceType"]))
    }

    func failure(_ error: any Error, _ request: ServerRequest) -> ServerResponse {
        OnyxAnswers.failure(error, request, log)
    }
}
