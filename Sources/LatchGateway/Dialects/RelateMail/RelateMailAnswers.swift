import FoundationEssentials
import HTTPServer
import Wire

/// The answers of the Relate Mail dialect, in its envelopes.
///
/// Source: contract of Relate Mail, error shapes.
enum RelateMailAnswers {
    /// A message that everybody may keep.
    static func shared(_ value: some Encodable, for seconds: Int) -> ServerResponse {
        ServerResponse(
            status: .ok, headers: ["Content-Type": JSON.mediaType, "Cache-Control": "public,max-age=\(seconds)"],
            body: JSON.encode(value))
    }

    /// `{"error": text}`.
    static func sentence(_ status: HTTPStatus, _ text: String) -> ServerResponse {
        ServerResponse(
            status: status, headers: .privateJSON,
            body: RelateMailError.sentence(text).body(status: status, trace: ""))
    }

    /// A problem in the framework's envelope.
    static func problem(
        _ status: HTTPStatus, _ title: String, errors: [String: [String]] = [:], request: String
    ) -> ServerResponse {
        ServerResponse(
            status: status,
            headers: ["Content-Type": RelateMailError.problemType, "Cache-Control": "no-store"],
            body: RelateMailError.problem(title: title, errors: errors).body(status: status, trace: request))
    }

    /// 400: the body is not as it must be; `errors` says of each member why, and quotes nothing.
    static func invalid(_ errors: [String: [String]], request: String) -> ServerResponse {
        problem(.badRequest, "One or more validation errors occurred.", errors: errors, request: request)
    }

    /// 404.
    static func notFound(_ request: String) -> ServerResponse {
        problem(.notFound, "Not Found", request: request)
    }

    /// 401 without a body. With credentials that open nothing it says so.
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

    /// 429 without a body.
    static func tooMany(_ wait: Duration) -> ServerResponse {
        ServerResponse(status: .tooManyRequests, headers: ["Cache-Control": "no-store"]).retry(after: wait)
    }

    /// 503: what the server needs does not answer.
    static func unavailable(_ sentence: String, _ wait: Duration) -> ServerResponse {
        self.sentence(.serviceUnavailable, sentence).retry(after: wait)
    }

    /// What a caller is told with 500.
    static let internalError = "An unexpected error occurred"

    /// An error of the server itself, before any route.
    static func serverError(_ status: HTTPStatus, _ sentence: String, request: String) -> ServerResponse {
        switch status {
        case .notFound: notFound(request)
        case .methodNotAllowed: ServerResponse(status: status)
        case .internalServerError: self.sentence(status, internalError)
        case .badRequest: problem(status, "Bad Request", request: request)
        default: problem(status, sentence, request: request)
        }
    }

    /// A moment as such servers write it.
    static func text(_ date: Date) -> String {
        String(Timestamp.text(date, fraction: true).dropLast()) + "+00:00"
    }
}
