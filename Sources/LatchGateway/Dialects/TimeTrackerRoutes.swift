import HTTPServer
import Wire

/// The routes for clients of Time Tracker.
///
/// Source: contract of Time Tracker; TT-3 to TT-13.
struct TimeTrackerRoutes: GatewayDialect {
    let services: GatewayServices

    var name: String { "dialects.timetracker" }
    var prefix: String { services.settings.timeTracker.prefix }

    /// Adds the routes under the prefix.
    func add(to router: inout Router) {}

    /// An error of the server itself, before any route.
    func serverError(_ status: HTTPStatus, _ sentence: String, _ request: RefusedRequest) -> ServerResponse {
        OnyxAnswers.serverError(status, sentence)
    }
}
