import FoundationEssentials
import HTTPServer
import Wire

/// The routes for clients of Time Tracker: sign-in through an identity provider for an app without PKCE of its own, and a
/// signed token that other servers can check, revocable here.
///
/// Source: contract of Time Tracker; TT-3 to TT-13.
struct TimeTrackerRoutes: BridgeDialect {
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
        add(.get, "/auth/me", to: &router, synchronousHandler: { $0.meAtOnce($1) }, { try await $0.me($1) })
        add(.post, "/auth/logout", to: &router) { await $0.logout($1) }
        add(.get, "/health", to: &router) { routes, _ in routes.health() }
        add(.get, Self.keysPath, to: &router, synchronousHandler: { routes, _ in routes.keysAtOnce() }) { routes, _ in
            try await routes.keys()
        }
    }

    /// Where the keys are that tokens are checked with, below the prefix.
    static let keysPath = "/.well-known/jwks.json"

    /// An error of the server itself, before any route.
    func serverError(_ status: HTTPStatus, _ sentence: String, _ request: RefusedRequest) -> ServerResponse {
        TimeTrackerAnswers.serverError(status, sentence)
    }

    func failure(_ error: any Error, _ request: ServerRequest) -> ServerResponse {
        UnexpectedFailure(error, of: request, log: services.log).response(
            internalError: "Internal server error", TimeTrackerAnswers.refusal)
    }

    /// `GET /health`.
    ///
    /// Source: contract of Time Tracker, (a).
    private func health() -> ServerResponse {
        let time = Timestamp.text(services.now(), fraction: true)
        return ServerResponse.privateJSON(["status": "ok", "timestamp": .string(time)] as JSONValue)
    }
}
