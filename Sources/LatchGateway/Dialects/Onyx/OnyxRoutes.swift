import HTTPServer
import Wire

/// The routes of a server that is compatible with Onyx, for sign-in with a password.
///
/// A value without state. The stores and settings that it uses belong to the gateway.
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
    /// Sign-in through identity providers; nil when none is configured.
    var bridge: Bridge? { services.bridge }
    /// The session cookie of browsers; nil when browsers cannot sign in.
    var cookie: SessionCookie? { services.cookie }
    /// Whether people can sign in with e-mail and password.
    var allowsPasswords: Bool { services.settings.passwordsEnabled }

    /// Whether the path is the prefix or lies below it. Always false when clients of Onyx cannot sign in.
    func owns(_ path: String) -> Bool {
        settings.isEnabled && (prefix.isEmpty || path == prefix || path.hasPrefix(prefix + "/"))
    }

    /// Returns the response to a request that the server refuses before any route runs.
    func serverError(_ status: HTTPStatus, _ sentence: String, _ request: RefusedRequest) -> ServerResponse {
        OnyxAnswers.serverError(status, sentence)
    }

    /// 422 only. A wrong password is 400 here.
    var unreadable: Set<HTTPStatus> { [.unprocessableContent] }

    /// Adds the routes under the dialect's prefix. When the dialect is off, adds only the route that exchanges a
    /// one-time code for a session.
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
        add(.get, "/me", to: &router, synchronousHandler: { $0.cachedMe($1) }, { try await $0.me($1) })
    }

    /// Returns the sender of a request. The client's own two header fields describe the device, or `User-Agent` when
    /// they are missing.
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
