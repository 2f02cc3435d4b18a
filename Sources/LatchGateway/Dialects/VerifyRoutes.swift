import HTTPServer
import Wire

/// The routes for reverse proxies.
///
/// Source: RFC 9728.
struct VerifyRoutes: GatewayDialect {
    let services: GatewayServices

    var name: String { "verify" }
    var prefix: String { services.settings.verify.prefix }

    /// Adds the routes under the prefix.
    func add(to router: inout Router) {}

    /// An error of the server itself, before any route.
    func serverError(_ status: HTTPStatus, _ sentence: String, _ request: RefusedRequest) -> ServerResponse {
        OnyxAnswers.serverError(status, sentence)
    }
}
