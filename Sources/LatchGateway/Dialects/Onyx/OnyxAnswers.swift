import HTTPServer
import Wire

/// The answers of the Onyx dialect, in its four envelopes.
///
/// Source: contract of Onyx, HTTP error envelopes.
enum OnyxAnswers {
    /// `{"detail": text}`.
    static func detail(_ status: HTTPStatus, _ text: String) -> ServerResponse {
        refusal(status, OnyxError(.detail, detail: text))
    }

    /// `{"error_code": CODE, "detail": text}`.
    static func business(_ status: HTTPStatus, _ reason: OnyxReason, _ text: String) -> ServerResponse {
        refusal(status, OnyxError(.business, code: reason.rawValue, detail: text))
    }

    /// `{"detail": CODE}`.
    static func code(_ status: HTTPStatus, _ reason: OnyxReason) -> ServerResponse {
        refusal(status, OnyxError(.detail, code: reason.rawValue))
    }

    /// 422: the request itself is not as it must be. `message` is a constant: what was sent is not repeated.
    static func invalid(_ message: StaticString) -> ServerResponse {
        refusal(.unprocessableContent, OnyxError(.validation, detail: message.description))
    }

    /// 401 with the challenge that RFC 9110 §15.5.2 asks for.
    static let unauthorized: ServerResponse = {
        var response = detail(.unauthorized, "Unauthorized")
        response.headers["WWW-Authenticate"] = "Bearer"
        return response
    }()

    /// 403 to a request without a token, on routes that a browser's cookie could open too.
    static let forbidden = detail(.forbidden, "Unauthorized")

    /// 429 of the limiter.
    static func tooMany(_ wait: Duration) -> ServerResponse {
        detail(.tooManyRequests, "Too Many Requests").retry(after: wait)
    }

    /// An error of the server itself, before any route: the framework's own words where there are any.
    static func serverError(_ status: HTTPStatus, _ sentence: String) -> ServerResponse {
        switch status {
        case .notFound: detail(status, "Not Found")
        case .methodNotAllowed: detail(status, "Method Not Allowed")
        default: detail(status, sentence)
        }
    }

    /// An error that no route has an answer of its own for.
    static func failure(_ error: any Error, _ request: ServerRequest, _ log: Log) -> ServerResponse {
        UnexpectedFailure(error, of: request, log: log).response(internalError: "Internal Server Error", detail)
    }

    static func refusal(_ status: HTTPStatus, _ error: OnyxError) -> ServerResponse {
        ServerResponse(status: status, headers: .privateJSON, body: error.body(status: status))
    }
}
