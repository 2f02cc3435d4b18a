import HTTPServer
import Wire

/// The routes for clients of Immich.
///
/// Source: contract of Immich; IM-3g to IM-15, DL-3.
struct ImmichRoutes: GatewayDialect {
    let services: GatewayServices

    var name: String { "dialects.immich" }
    var prefix: String { services.settings.immich.prefix }

    /// Adds the routes under the prefix.
    func add(to router: inout Router) {}

    /// An error of the server itself, before any route.
    func serverError(_ status: HTTPStatus, _ sentence: String, _ request: RefusedRequest) -> ServerResponse {
        OnyxAnswers.serverError(status, sentence)
    }
}
