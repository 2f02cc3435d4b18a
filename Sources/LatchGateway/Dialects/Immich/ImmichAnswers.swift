import HTTPServer
import Wire

/// The answers of the Immich dialect, in the envelope of 3.0 and later.
///
/// Source: contract of Immich, error body.
enum ImmichAnswers {
    /// The header that names a request in answer and log.
    static let correlationHeader = "X-Correlation-ID"

    /// `{"message": text}`.
    static func failure(_ status: HTTPStatus, _ message: String) -> ServerResponse {
        var response = ServerResponse.privateJSON(ImmichError(message: message), status: status)
        if status == .unauthorized { response.headers["WWW-Authenticate"] = "Bearer" }
        return response
    }

    /// 400 with each thing that is wrong with the request; what was sent is not repeated.
    static func invalid(_ issues: [ImmichError.Issue]) -> ServerResponse {
        .privateJSON(ImmichError(message: ImmichError.validationFailed, errors: issues), status: .badRequest)
    }

    /// 429: stay away for so long.
    static func tooMany(_ wait: Duration) -> ServerResponse {
        failure(.tooManyRequests, "Too many attempts; try again later.").retry(after: wait)
    }

    /// An error of the server itself, before any route.
    static func serverError(_ status: HTTPStatus, _ sentence: String, _ request: RefusedRequest) -> ServerResponse {
        let text =
            switch status {
            case .notFound: "Not Found"
            case .methodNotAllowed: "Method Not Allowed"
            default: sentence
            }
        return correlated(failure(status, text), request.headers, request.id)
    }

    /// The answer with the request's id: the client's own when it sent one that is safe to repeat, else the server's.
    static func correlated(_ response: ServerResponse, _ headers: HTTPHeaders, _ id: String) -> ServerResponse {
        var response = response
        response.headers[correlationHeader] = headers[correlationHeader].flatMap { isID($0) ? $0 : nil } ?? id
        return response
    }

    private static func isID(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count) && text.utf8.allSatisfy(PercentEncoding.isUnreserved)
    }
}

/// What a route of the Immich dialect refuses, thrown from wherever that is found out.
struct ImmichRefusal: Error {
    /// The answer.
    let response: ServerResponse

    /// `{"message": text}`.
    init(_ status: HTTPStatus, _ message: String) {
        response = ImmichAnswers.failure(status, message)
    }

    /// 400 with what is wrong with the request.
    init(_ issues: [ImmichError.Issue]) {
        response = ImmichAnswers.invalid(issues)
    }

    /// 429: stay away for so long.
    init(wait: Duration) {
        response = ImmichAnswers.tooMany(wait)
    }

    /// 503: it may be well after so long.
    init(later wait: Duration, _ message: String) {
        response = ImmichAnswers.failure(.serviceUnavailable, message).retry(after: wait)
    }
}
