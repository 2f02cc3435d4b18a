import Database
package import GatewayCore
package import HTTPMessages
package import HTTPServer
import Redis

/// An error that a route does not handle itself. Every dialect sends the same status and sentence, in its own envelope.
package struct UnexpectedFailure: Sendable {
    /// 503 when the same request may succeed later, otherwise 500.
    package let status: HTTPStatus
    /// The error message for the caller. Nil for 500, for which each server family has its own message.
    package let sentence: String?
    /// When the caller may try again; nil when that would not help.
    package let retryAfter: Duration?

    /// Classifies an error, and logs it when the operator has to know about it.
    ///
    /// - Parameters:
    ///   - error: The error. The caller does not see its text unless it is a `GatewayError`.
    ///   - request: The request that failed.
    ///   - log: The log for errors of a store and for unknown errors.
    package init(_ error: any Error, of request: ServerRequest, log: Log) {
        switch error {
        case let error as GatewayError where [.busy, .closed, .codeStore].contains(error.code):
            (status, sentence, retryAfter) = (.serviceUnavailable, error.message, .seconds(1))
        case is CancellationError:
            (status, sentence, retryAfter) = (.serviceUnavailable, "The request was cancelled.", .seconds(1))
        case is DatabaseError:
            log.failure("The database failed.", error, request: request.id)
            (status, sentence, retryAfter) = (
                .serviceUnavailable, "The server cannot reach its database.", .seconds(5)
            )
        case is RedisError:
            log.failure("Redis failed.", error, request: request.id)
            (status, sentence, retryAfter) = (
                .serviceUnavailable, "The server cannot reach its code store.", .seconds(2)
            )
        default:
            log.failure("A request failed.", error, request: request.id)
            (status, sentence, retryAfter) = (.internalServerError, nil, nil)
        }
    }

    /// Returns the response, in the envelope that `refusal` creates.
    package func response(
        internalError: String, _ refusal: (HTTPStatus, String) -> ServerResponse
    ) -> ServerResponse {
        let response = refusal(status, sentence ?? internalError)
        return retryAfter.map(response.retry) ?? response
    }
}
