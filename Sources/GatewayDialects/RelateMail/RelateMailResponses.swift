import FoundationEssentials
import GatewayCore
import GatewayHTTP
import HTTPMessages
import HTTPServer
import ServerMessages

/// The responses of the Relate Mail dialect, in its envelopes.
///
/// Source: docs/protocols/relate-mail.md, Errors.
enum RelateMailResponses {
    /// Returns a JSON response that any cache may store.
    static func shared(_ value: some Encodable, for seconds: Int) -> ServerResponse {
        ServerResponse(
            status: .ok, headers: ["Content-Type": JSON.mediaType, "Cache-Control": "public,max-age=\(seconds)"],
            body: JSON.encode(value))
    }

    /// Returns an error response with the body `{"error": text}`.
    static func sentence(_ status: HTTPStatus, _ text: String) -> ServerResponse {
        ServerResponse(
            status: status, headers: .privateJSON,
            body: RelateMailError.sentence(text).body(status: status, trace: ""))
    }

    /// Returns an error response with a problem in the framework's envelope.
    static func problem(
        _ status: HTTPStatus, _ title: String, errors: [String: [String]] = [:], request: String
    ) -> ServerResponse {
        ServerResponse(
            status: status,
            headers: ["Content-Type": RelateMailError.problemType, "Cache-Control": "no-store"],
            body: RelateMailError.problem(title: title, errors: errors).body(status: status, trace: request))
    }

    /// Returns a 400 response to an invalid body. `errors` has the reasons by member and does not repeat what was sent.
    static func invalid(_ errors: [String: [String]], request: String) -> ServerResponse {
        problem(.badRequest, "One or more validation errors occurred.", errors: errors, request: request)
    }

    /// Returns a 404 response.
    static func notFound(_ request: String) -> ServerResponse {
        problem(.notFound, "Not Found", request: request)
    }

    /// Returns a 401 response without a body. Its challenge has an error when the request had credentials.
    ///
    /// Source: RFC 6750 §3 and §3.1.
    static func unauthorized(hadCredentials: Bool) -> ServerResponse {
        ServerResponse(
            status: .unauthorized,
            headers: [
                "WWW-Authenticate": hadCredentials ? #"Bearer error="invalid_token""# : "Bearer",
                "Cache-Control": "no-store",
            ])
    }

    /// Returns a 429 response without a body.
    static func tooMany(_ wait: Duration) -> ServerResponse {
        ServerResponse(status: .tooManyRequests, headers: ["Cache-Control": "no-store"]).retry(after: wait)
    }

    /// Returns a 503 response, for a service that the server needs and that does not respond.
    static func unavailable(_ sentence: String, _ wait: Duration) -> ServerResponse {
        self.sentence(.serviceUnavailable, sentence).retry(after: wait)
    }

    /// The error message of a 500 response.
    static let internalError = "An unexpected error occurred"

    /// Returns the response to a request that the server refuses before any route runs.
    static func serverError(_ status: HTTPStatus, _ sentence: String, request: String) -> ServerResponse {
        switch status {
        case .notFound: notFound(request)
        case .methodNotAllowed: ServerResponse(status: status)
        case .internalServerError: self.sentence(status, internalError)
        case .badRequest: problem(status, "Bad Request", request: request)
        default: problem(status, sentence, request: request)
        }
    }

    /// Returns a date in the format of Relate Mail servers, with the offset `+00:00`.
    static func text(_ date: Date) -> String {
        String(Timestamp.text(date, fraction: true).dropLast()) + "+00:00"
    }
}
