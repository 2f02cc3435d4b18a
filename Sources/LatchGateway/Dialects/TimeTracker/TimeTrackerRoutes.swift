import Crypto
import Database
import FoundationEssentials
import HTTPServer
import Redis
import Wire

/// The routes for clients of Time Tracker: sign-in through an identity provider for an app without PKCE of its own, and a
/// signed token that other servers can check, revocable here.
///
/// Source: contract of Time Tracker; TT-3 to TT-13.
struct TimeTrackerRoutes: GatewayDialect {
    let services: GatewayServices
    /// How many sign-ins are begun from one address; state of the gateway's, made with it.
    let starts: RequestLimit

    var name: String { "dialects.timetracker" }
    var prefix: String { settings.prefix }
    var settings: TimeTrackerSettings { services.settings.timeTracker }

    /// The addresses in apps that a sign-in may end at.
    var redirects: AllowedRedirects { AllowedRedirects(settings.redirects, anyLoopbackPort: false) }

    init(services: GatewayServices) {
        self.services = services
        starts = RequestLimit(services.settings.timeTracker.startRate, now: services.now)
    }

    /// Adds the routes under the prefix.
    func add(to router: inout Router) {
        if let bridge = services.bridge { add(bridge, to: &router) }
        add(.get, "/auth/me", to: &router, atOnce: { $0.meAtOnce($1) }, { try await $0.me($1) })
        add(.post, "/auth/logout", to: &router) { await $0.logout($1) }
        add(.get, "/health", to: &router) { routes, _ in routes.health() }
        add(.get, Self.keysPath, to: &router, atOnce: { routes, _ in routes.keysAtOnce() }) { routes, _ in
            try await routes.keys()
        }
    }

    /// Where the keys are that tokens are checked with, below the prefix.
    static let keysPath = "/.well-known/jwks.json"

    /// An error of the server itself, before any route.
    func serverError(_ status: HTTPStatus, _ sentence: String, _ request: RefusedRequest) -> ServerResponse {
        TimeTrackerAnswers.serverError(status, sentence)
    }

    func add(
        _ method: HTTPMethod, _ path: String, to router: inout Router,
        atOnce: (@Sendable (TimeTrackerRoutes, ServerRequest) -> ServerResponse?)? = nil,
        _ handler: @escaping @Sendable (TimeTrackerRoutes, ServerRequest) async throws -> ServerResponse
    ) {
        var first: (@Sendable (ServerRequest) -> ServerResponse?)?
        if let atOnce { first = { request in atOnce(self, request) } }
        router.on(method, prefix + path, atOnce: first) { request in
            await answer(request, handler)
        }
    }

    private func answer(
        _ request: ServerRequest,
        _ handler: @Sendable (TimeTrackerRoutes, ServerRequest) async throws -> ServerResponse
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
            address: services.proxies.client(of: request),
            device: SessionDevice(name: request.headers["User-Agent"]), request: request.id)
    }

    /// The answer to an error that no route has one of its own for.
    func failure(_ error: any Error, _ request: ServerRequest) -> ServerResponse {
        switch error {
        case let error as GatewayError where [.busy, .closed, .codeStore].contains(error.code):
            return OnyxAnswers.later(TimeTrackerAnswers.refusal(.serviceUnavailable, error.message), .seconds(1))
        case is CancellationError:
            return TimeTrackerAnswers.refusal(.serviceUnavailable, "The request was cancelled.")
        case is DatabaseError, is RedisError:
            services.log.error("A store failed.", ["error": .words(of: error), "request": .text(request.id)])
            return OnyxAnswers.later(
                TimeTrackerAnswers.refusal(.serviceUnavailable, "The server cannot reach its store."), .seconds(5))
        default:
            services.log.error("A request failed.", ["error": .words(of: error), "request": .text(request.id)])
            return TimeTrackerAnswers.refusal(.internalServerError, "Internal server error")
        }
    }

    /// `GET /health`.
    ///
    /// Source: contract of Time Tracker, (a).
    private func health() -> ServerResponse {
        let time = Timestamp.text(services.now(), fraction: true)
        return TimeTrackerAnswers.message(["status": "ok", "timestamp": .string(time)] as JSONValue)
    }
}
