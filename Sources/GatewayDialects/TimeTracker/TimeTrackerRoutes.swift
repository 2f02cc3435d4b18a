import FoundationEssentials
import GatewayCore
package import GatewayHTTP
package import HTTPMessages
package import HTTPServer
import SignInBridge

/// The routes for clients of Time Tracker. An app without PKCE signs in through an identity provider. Its token is
/// signed, so that other servers can verify it, and can be revoked here.
///
/// Source: docs/protocols/time-tracker.md; TT-3 to TT-13.
package struct TimeTrackerRoutes: BridgeDialect {
    package let services: GatewayServices
    package let settings: TimeTrackerSettings
    /// The app addresses where a sign-in may end.
    let redirects: AllowedRedirects
    /// The limit for sign-ins that begin from one address. It is created once with the gateway.
    let starts: RequestLimit

    package var name: String { "dialects.timetracker" }
    package var prefix: String { settings.prefix }

    package init(services: GatewayServices) {
        self.services = services
        settings = services.settings.timeTracker
        redirects = AllowedRedirects(settings.redirects, anyLoopbackPort: false)
        starts = RequestLimit(settings.startRate, now: services.now)
    }

    /// Adds the routes under the prefix.
    package func add(to router: inout Router) {
        if let bridge = services.bridge { add(bridge, to: &router) }
        add(.get, "/auth/me", to: &router, firstStep: { $0.me($1) })
        add(.post, "/auth/logout", to: &router) { await $0.logout($1) }
        add(.get, "/health", to: &router) { routes, _ in routes.health() }
        add(.get, Self.keysPath, to: &router, synchronousHandler: { routes, _ in routes.cachedKeys() }) { routes, _ in
            try await routes.keys()
        }
    }

    /// The path of the public keys that verify tokens, below the prefix.
    package static let keysPath = "/.well-known/jwks.json"

    /// Returns the response to a request that the server refuses before any route runs.
    package func serverError(_ status: HTTPStatus, _ sentence: String, for request: RefusedRequest) -> ServerResponse {
        TimeTrackerResponses.serverError(status, sentence)
    }

    package func failure(_ error: any Error, _ request: ServerRequest) -> ServerResponse {
        UnexpectedFailure(error, of: request, log: services.log).response(
            internalError: "Internal server error", TimeTrackerResponses.refusal)
    }

    /// `GET /health`: returns the status `ok` and the current time.
    ///
    /// Source: docs/protocols/time-tracker.md, Health.
    private func health() -> ServerResponse {
        let time = Timestamp.text(services.now(), fraction: true)
        return ServerResponse.privateJSON(["status": "ok", "timestamp": .string(time)] as JSONValue)
    }
}
