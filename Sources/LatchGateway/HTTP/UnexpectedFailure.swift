import Database
import HTTPServer
import Redis
import Wire

/// An error that no route has an answer of its own for. Every dialect answers it with the same status and sentence, in
/// its own envelope.
struct UnexpectedFailure: Sendable {
    /// 503 where a repeated request may succeed, else 500.
    let status: HTTPStatus
    /// What the caller is told; nil for 500, for which each server family has its own words.
    let sentence: String?
    /// When the caller may try again; nil where that would not help.
    let retryAfter: Duration?

    /// Reads an error, and logs it where the operator has to know.
    ///
    /// - Parameters:
    ///   - error: The error; its text is not told to the caller unless it is a `GatewayError`.
    ///   - request: The request that failed.
    ///   - log: Where an error of a store, or an unknown one, is logged.
    init(_ error: any Error, of request: ServerRequest, log: Log) {
        switch error {
        case let error as GatewayError where [.busy, .closed, .codeStore].contains(error.code):
            (status, sentence, retryAfter) = (.serviceUnavailable, error.message, .seconds(1))
        case is CancellationError:
            (status, sentence, retryAfter) = (.serviceUnavailable, "The request was cancelled.", .seconds(1))
        case is DatabaseError:
            log.error("The database failed.", ["error": .words(of: error), "request": .text(request.id)])
            (status, sentence, retryAfter) = (
                .serviceUnavailable, "The server cannot reach its database.", .seconds(5)
            )
        case is RedisError:
            log.error("Redis failed.", ["error": .words(of: error), "request": .text(request.id)])
            (status, sentence, retryAfter) = (
                .serviceUnavailable, "The server cannot reach its store of codes.", .seconds(2)
            )
        default:
            log.error("A request failed.", ["error": .words(of: error), "request": .text(request.id)])
            (status, sentence, retryAfter) = (.internalServerError, nil, nil)
        }
    }

    /// The response, in the envelope that `refusal` makes.
    func response(
        internalError: String, _ refusal: (HTTPStatus, String) -> ServerResponse
    ) -> ServerResponse {
        let response = refusal(status, sentence ?? internalError)
        return retryAfter.map(response.retry) ?? response
    }
}
