import GatewayHTTP
import HTTPMessages
import HTTPServer
import ServerMessages

/// The responses of the Time Tracker dialect.
///
/// Source: docs/protocols/time-tracker.md, Errors, Token request and Rejected tokens.
enum TimeTrackerResponses {
    /// Returns an error response with the body `{"error": sentence}`.
    static func refusal(_ status: HTTPStatus, _ sentence: String) -> ServerResponse {
        .privateJSON(TimeTrackerError(sentence), status: status)
    }

    /// Returns a 401 response with the challenge that RFC 9110 §15.5.2 requires. With a `reason` the challenge states
    /// that the token is invalid.
    ///
    /// Source: RFC 6750 §3.1.
    static func unauthorized(_ reason: String? = nil) -> ServerResponse {
        var response = refusal(.unauthorized, reason.map { "Unauthorized: \($0)" } ?? "Unauthorized")
        response.headers["WWW-Authenticate"] = reason == nil ? "Bearer" : #"Bearer error="invalid_token""#
        return response
    }

    /// The response to a state that is unknown, used or expired. These cases are not distinguished.
    static let unknownStart = refusal(.badRequest, "OIDC session not found or expired. Initiate login again.")

    /// Returns a 400 response with the names of the missing parameters.
    static func missing(_ names: [String]) -> ServerResponse {
        refusal(.badRequest, "Missing required parameters: " + names.joined(separator: ", "))
    }

    /// Returns the response to a request that the server refuses before any route runs.
    static func serverError(_ status: HTTPStatus, _ sentence: String) -> ServerResponse {
        switch status {
        case .notFound: refusal(status, "Endpoint not found")
        case .internalServerError: refusal(status, "Internal server error")
        default: refusal(status, sentence)
        }
    }
}
