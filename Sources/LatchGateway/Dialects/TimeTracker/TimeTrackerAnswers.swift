import HTTPServer
import Wire

/// The answers of the Time Tracker dialect.
///
/// Source: contract of Time Tracker, (a).
enum TimeTrackerAnswers {
    /// `{"error": sentence}`.
    static func refusal(_ status: HTTPStatus, _ sentence: String) -> ServerResponse {
        .privateJSON(TimeTrackerError(sentence), status: status)
    }

    /// 401 with the challenge that RFC 9110 §15.5.2 asks for; a token that was brought and opens nothing is told so.
    ///
    /// Source: RFC 6750 §3.1.
    static func unauthorized(_ reason: String? = nil) -> ServerResponse {
        var response = refusal(.unauthorized, reason.map { "Unauthorized: \($0)" } ?? "Unauthorized")
        response.headers["WWW-Authenticate"] = reason == nil ? "Bearer" : #"Bearer error="invalid_token""#
        return response
    }

    /// The answer to a state that is not known, was taken, or is too old, which is not told apart.
    static let unknownStart = refusal(.badRequest, "OIDC session not found or expired. Initiate login again.")

    /// The parameters that are missing.
    static func missing(_ names: [String]) -> ServerResponse {
        refusal(.badRequest, "Missing required parameters: " + names.joined(separator: ", "))
    }

    /// An error of the server itself, before any route.
    static func serverError(_ status: HTTPStatus, _ sentence: String) -> ServerResponse {
        switch status {
        case .notFound: refusal(status, "Endpoint not found")
        case .internalServerError: refusal(status, "Internal server error")
        default: refusal(status, sentence)
        }
    }
}
