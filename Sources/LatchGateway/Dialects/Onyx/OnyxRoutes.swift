import Crypto
import Database
import FoundationEssentials
import HTTPServer
import Redis
import Wire

/// The routes of a server that speaks as Onyx does: the part with a password.
///
/// A value without state: what it uses lives in the gateway.
///
/// Source: contract of Onyx, endpoints; OX-1, OX-8.
struct OnyxRoutes: GatewayDialect {
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

    /// Adds the routes under the dialect's prefix; where it is off, those that browsers come back to from a provider alone.
    func add(to router: inout Router) {
        if let bridge { add(bridge, to: &router) }
        guard settings.isEnabled else { return }
        add(.get, "/auth/type", to: &router) { routes, _ in try await routes.authType() }
        add(.post, "/auth/mobile/login", to: &router) { try await $0.login($1) }
        add(.post, "/auth/mobile/refresh", to: &router) { await $0.refresh($1) }
        add(.post, "/auth/mobile/logout", to: &router) { try await $0.logout($1) }
        add(.post, "/auth/register", to: &router) { try await $0.register($1) }
        add(.get, "/me", to: &router, atOnce: { $0.meAtOnce($1) }, { try await $0.me($1) })
    }

    func add(
        _ method: HTTPMethod, _ path: String, to router: inout Router,
        atOnce: (@Sendable (OnyxRoutes, ServerRequest) -> ServerResponse?)? = nil,
        _ handler: @escaping @Sendable (OnyxRoutes, ServerRequest) async throws -> ServerResponse
    ) {
        var first: (@Sendable (ServerRequest) -> ServerResponse?)?
        if let atOnce { first = { request in atOnce(self, request) } }
        router.on(
            method, settings.prefix + path, atOnce: first
        ) { request in
            await answer(request, handler)
        }
    }

    private func answer(
        _ request: ServerRequest, _ handler: @Sendable (OnyxRoutes, ServerRequest) async throws -> ServerResponse
    ) async -> ServerResponse {
        do {
            return try await handler(self, request)
        } catch {
            return failure(error, request)
        }
    }

    /// What the client of a request is.
    func client(of request: ServerRequest) -> PasswordSignIn.Client {
        PasswordSignIn.Client(
            address: proxies.client(of: request), device: Self.device(of: request), request: request.id)
    }

    /// The answer to an error that no route has one of its own for.
    func failure(_ error: any Error, _ request: ServerRequest) -> ServerResponse {
        switch error {
        case let error as GatewayError where [.busy, .closed, .codeStore].contains(error.code):
            return OnyxAnswers.later(OnyxAnswers.detail(.serviceUnavailable, error.message), .seconds(1))
        case is CancellationError:
            return OnyxAnswers.detail(.serviceUnavailable, "The request was cancelled.")
        case let error as DatabaseError:
            log.error("The database failed.", ["error": .text(error.message), "request": .text(request.id)])
            return OnyxAnswers.later(
                OnyxAnswers.detail(.serviceUnavailable, "The server cannot reach its database."), .seconds(5))
        case let error as RedisError:
            log.error("Redis failed.", ["error": .text(error.message), "request": .text(request.id)])
            return OnyxAnswers.later(
                OnyxAnswers.detail(.serviceUnavailable, "The server cannot reach its store of codes."), .seconds(2))
        default:
            log.error("A request failed.", ["error": .text("\(type(of: error))"), "request": .text(request.id)])
            return OnyxAnswers.detail(.internalServerError, "Internal Server Error")
        }
    }

    /// What the client calls its device: its own two fields, else the program's name.
    private static func device(of request: ServerRequest) -> SessionDevice {
        SessionDevice(
            name: request.headers["deviceModel"] ?? request.headers["User-Agent"], kind: request.headers["deviceType"])
    }
}
