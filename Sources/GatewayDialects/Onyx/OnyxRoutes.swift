import GatewayConfiguration
import GatewayCore
package import GatewayHTTP
package import HTTPMessages
package import HTTPServer
import SignInBridge

/// The routes of a server that is compatible with Onyx, for sign-in with a password.
///
/// A value without state. The stores and settings that it uses belong to the gateway.
///
/// Source: docs/protocols/onyx.md, Endpoints; OX-1, OX-8.
package struct OnyxRoutes: ServiceDialect {
    package let services: GatewayServices
    package let settings: OnyxSettings

    package var name: String { "dialects.onyx" }
    package var prefix: String { services.settings.bridge.prefix }

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

    /// Returns the response to a request that the server refuses before any route runs.
    package func serverError(_ status: HTTPStatus, _ sentence: String, for request: RefusedRequest) -> ServerResponse {
        DefaultResponses.serverError(status, sentence)
    }

    /// 422 only. A wrong password is 400 here.
    package var unreadable: Set<HTTPStatus> { [.unprocessableContent] }

    package init(services: GatewayServices) {
        self.services = services
        settings = services.settings.onyx
    }

    /// Adds the routes under the dialect's prefix.
    package func add(to router: inout Router) {
        add(.get, "/auth/type", to: &router) { routes, _ in try await routes.authType() }
        add(.post, "/auth/mobile/login", to: &router) { try await $0.login($1) }
        add(.post, "/auth/mobile/refresh", to: &router) { await $0.refresh($1) }
        add(.post, "/auth/mobile/logout", to: &router) { try await $0.logout($1) }
        add(.post, "/auth/register", to: &router) { try await $0.register($1) }
        add(.get, "/me", to: &router, firstStep: { $0.me($1) })
    }

    package func failure(_ error: any Error, _ request: ServerRequest) -> ServerResponse {
        DefaultResponses.failure(error, of: request, log: log)
    }
}
