import GatewayHTTP
import HTTPMessages
import HTTPServer
import ServerMessages

/// The responses of the Immich dialect, in the error envelope of version 3.0 and later.
///
/// Source: docs/protocols/immich.md, Errors.
enum ImmichResponses {
    /// The header field with the id of a request, in the response and in the log.
    static let correlationHeader = "X-Correlation-ID"

    /// Returns an error response with the body `{"message": text}`.
    static func failure(_ status: HTTPStatus, _ message: String) -> ServerResponse {
        var response = ServerResponse.privateJSON(ImmichError(message: message), status: status)
        if status == .unauthorized { response.headers["WWW-Authenticate"] = "Bearer" }
        return response
    }

    /// Returns a 400 response with every mistake in the request. It does not repeat what was sent.
    static func invalid(_ issues: [ImmichError.Issue]) -> ServerResponse {
        .privateJSON(ImmichError(message: ImmichError.validationFailed, errors: issues), status: .badRequest)
    }

    /// Returns a 429 response. The client must wait for the given time.
    static func tooMany(_ wait: Duration) -> ServerResponse {
        failure(.tooManyRequests, "Too many attempts; try again later.").retry(after: wait)
    }

    /// Returns the response to a request that the server refuses before any route runs.
    static func serverError(_ status: HTTPStatus, _ sentence: String, for request: RefusedRequest) -> ServerResponse {
        let text =
            switch status {
            case .notFound: "Not Found"
            case .methodNotAllowed: "Method Not Allowed"
            default: sentence
            }
        return correlated(failure(status, text), headers: request.headers, id: request.id)
    }

    /// Returns the response with the id of the request: the client's own if it sent one that is safe to repeat,
    /// otherwise the server's.
    static func correlated(_ response: ServerResponse, headers: HTTPHeaders, id: String) -> ServerResponse {
        var response = response
        response.headers[correlationHeader] = headers[correlationHeader].flatMap { isID($0) ? $0 : nil } ?? id
        return response
    }

    private static func isID(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count) && text.utf8.allSatisfy(PercentEncoding.isUnreserved)
    }
}

/// An error response of a route of the Immich dialect, to be thrown.
struct ImmichRefusal: Error {
    /// The response.
    let response: ServerResponse

    /// Creates an error response with the body `{"message": text}`.
    init(_ status: HTTPStatus, _ message: String) {
        response = ImmichResponses.failure(status, message)
    }

    /// Creates a 400 response with the mistakes in the request.
    init(_ issues: [ImmichError.Issue]) {
        response = ImmichResponses.invalid(issues)
    }

    /// Creates a 429 response. The client must wait for the given time.
    init(wait: Duration) {
        response = ImmichResponses.tooMany(wait)
    }

    /// Creates a 503 response. The client may try again after the given time.
    init(later wait: Duration, _ message: String) {
        response = ImmichResponses.failure(.serviceUnavailable, message).retry(after: wait)
    }
}
