import HTTPServer
import Wire

/// The routes for clients of Relate Mail.
///
/// Source: contract of Relate Mail; RM-4, RM-6, RM-8.
struct RelateMailRoutes: GatewayDialect {
    let services: GatewayServices

    var name: String { "dialects.relate-mail" }
    var prefix: String { services.settings.relateMail.prefix }

    /// Adds the routes under the prefix.
    func add(to router: inout Router) {}

    /// An error of the server itself, before any route.
    func serverError(_ status: HTTPStatus, _ sentence: String, _ request: RefusedRequest) -> ServerResponse {
        OnyxAnswers.serverError(status, sentence)
    }
}
