import HTTPServer
import Wire

/// The answers of the Onyx dialect, in its four envelopes.
///
/// Source: contract of Onyx, HTTP error envelopes.
enum OnyxAnswers {
    /// JSON that nobody may keep: tokens, people, refusals.
    static let privateHeaders: HTTPHeaders = ["Content-Type": JSON.mediaType, "Cache-Control": "no-store"]

    /// 204 without a body.
    static let done = ServerResponse(status: .noContent, headers: ["Cache-Control": "no-store"], body: [])

    /// A message, with `no-store`.
    static func message(_ value: some Encodable, status: HTTPStatus = .ok) -> ServerResponse {
        ServerResponse(status: status, headers: privateHeaders, body: JSON.encode(value))
    }

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
        later(detail(.tooManyRequests, "Too Many Requests"), wait)
    }

    /// A response with `Retry-After`, whole seconds rounded up.
    ///
    /// Source: RFC 9110 §10.2.3.
    static func later(_ response: ServerResponse, _ wait: Duration) -> ServerResponse {
        var response = response
        response.headers["Retry-After"] = String(max(1, Int(wait.seconds.rounded(.up))))
        return response
    }

    /// An error of the server itself, before any route: the framework's own words where there are any.
    static func serverError(_ status: HTTPStatus, _ sentence: String) -> ServerResponse {
        switch status {
        case .notFound: detail(status, "Not Found")
        case .methodNotAllowed: detail(status, "Method Not Allowed")
        default: detail(status, sentence)
        }
    }

    static func refusal(_ status: HTTPStatus, _ error: OnyxError) -> ServerResponse {
        ServerResponse(status: status, headers: privateHeaders, body: error.body(status: status))
    }
}
