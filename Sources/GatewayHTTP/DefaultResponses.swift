import Crypto
package import GatewayCore
package import HTTPMessages
package import HTTPServer
import Primitives
package import ServerMessages

/// The gateway's default responses. Their envelopes are those of Onyx. The bridge uses them, and so do requests that no
/// dialect owns.
///
/// Source: docs/protocols/onyx.md, Errors.
package enum DefaultResponses {
    /// Returns an error response with the body `{"detail": text}`.
    package static func detail(_ status: HTTPStatus, _ text: String) -> ServerResponse {
        refusal(status, OnyxError(.detail, detail: text))
    }

    /// Returns an error response with the body `{"error_code": CODE, "detail": text}`.
    package static func business(
        _ status: HTTPStatus, code reason: OnyxReason, detail text: String
    ) -> ServerResponse {
        refusal(status, OnyxError(.business, code: reason.rawValue, detail: text))
    }

    /// Returns an error response with the body `{"detail": CODE}`.
    package static func code(_ status: HTTPStatus, _ reason: OnyxReason) -> ServerResponse {
        refusal(status, OnyxError(.detail, code: reason.rawValue))
    }

    /// Returns a 422 response to an invalid request. `message` is a constant, so that the response does not repeat what
    /// was sent.
    package static func invalid(_ message: StaticString) -> ServerResponse {
        refusal(.unprocessableContent, OnyxError(.validation, detail: message.description))
    }

    /// A 401 response with the challenge that RFC 9110 §15.5.2 requires.
    package static let unauthorized: ServerResponse = {
        var response = detail(.unauthorized, "Unauthorized")
        response.headers["WWW-Authenticate"] = "Bearer"
        return response
    }()

    /// A 403 response to a request without a token, on routes that also accept a browser's cookie.
    package static let forbidden = detail(.forbidden, "Unauthorized")

    /// Returns the 429 response of the rate limit.
    package static func tooMany(_ wait: Duration) -> ServerResponse {
        detail(.tooManyRequests, "Too Many Requests").retry(after: wait)
    }

    /// Returns the response to a request that the server refuses before any route runs, with the framework's own text
    /// where it has one.
    package static func serverError(_ status: HTTPStatus, _ sentence: String) -> ServerResponse {
        switch status {
        case .notFound: detail(status, "Not Found")
        case .methodNotAllowed: detail(status, "Method Not Allowed")
        default: detail(status, sentence)
        }
    }

    /// Returns the response to an error that a route does not handle itself.
    package static func failure(_ error: any Error, of request: ServerRequest, log: Log) -> ServerResponse {
        UnexpectedFailure(error, of: request, log: log).response(internalError: "Internal Server Error", detail)
    }

    package static func refusal(_ status: HTTPStatus, _ error: OnyxError) -> ServerResponse {
        ServerResponse(status: status, headers: .privateJSON, body: error.body(status: status))
    }

    /// Returns the response with a session's token.
    package static func token(_ credential: SessionCredential) -> ServerResponse {
        var message = OnyxTokenResponse(accessToken: credential.token.reveal())
        if credential.keyThumbprint != nil { message.tokenType = SessionCredential.boundType }
        message.refreshToken = credential.refreshToken?.reveal()
        message.expiresIn = credential.expiresIn.map { Int($0.seconds) }
        return ServerResponse.privateJSON(message)
    }
}

extension ServiceDialect {
    /// Returns the sender of a request. The two header fields of an app of Onyx describe the device, or `User-Agent`
    /// when they are missing.
    package func onyxOrigin(of request: ServerRequest) -> RequestOrigin {
        origin(
            of: request,
            SessionDevice(
                name: request.headers["deviceModel"] ?? request.headers["User-Agent"],
                kind: request.headers["deviceType"]))
    }
}
