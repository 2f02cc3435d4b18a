import HTTPServer
import Wire

/// The routes for browsers.
///
/// Source: WCAG 2.2.
struct PageRoutes: GatewayDialect {
    let services: GatewayServices

    var name: String { "pages" }
    var prefix: String { services.settings.pages.prefix }

    /// Adds the routes under the prefix.
    func add(to router: inout Router) {}

    /// An error of the server itself, before any route.
    func serverError(_ status: HTTPStatus, _ sentence: String, _ request: RefusedRequest) -> ServerResponse {
        OnyxAnswers.serverError(status, sentence)
    }
}
