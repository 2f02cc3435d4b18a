package import HTTPMessages
package import HTTPServer

/// The responses of the token endpoints, in the envelope of OAuth.
///
/// Source: RFC 6749 §5.2.
package enum TokenResponses {
    /// The response for an invalid token, for any reason.
    ///
    /// Source: RFC 7662 §2.2.
    package static let inactive = ServerResponse(
        status: .ok, headers: .privateJSON, body: Array(#"{"active":false}"#.utf8))

    /// Returns a 400 response to an invalid request. The sentence is a constant, so that the response does not repeat
    /// what was sent.
    package static func invalidRequest(_ sentence: StaticString, _ status: HTTPStatus = .badRequest) -> ServerResponse {
        refusal(status, error: "invalid_request", description: sentence)
    }

    /// A 401 response for an unknown client, or a wrong secret or assertion. These cases are not distinguished.
    package static let invalidClient = invalidClient("The client is unknown, or its secret or assertion is wrong.")

    /// A 401 response to a request that names no client.
    package static let clientIDMissing = invalidClient(
        "The client_id is missing. Send it in the form, or in the Authorization field with the secret.")

    private static func invalidClient(_ sentence: StaticString) -> ServerResponse {
        var response = refusal(.unauthorized, error: "invalid_client", description: sentence)
        response.headers["WWW-Authenticate"] = #"Basic realm="latchd", charset="UTF-8""#
        return response
    }

    /// A 400 response to credentials in several places.
    package static let ambiguousCredentials = invalidRequest("Send client credentials once, in one place only.")

    /// A 400 response to a form without exactly one token.
    package static let tokenRequired = invalidRequest("Exactly one token is required.")

    /// A 503 response for a database error.
    package static let unavailable = refusal(
        .serviceUnavailable, error: "temporarily_unavailable",
        description: "The server cannot check the token now. Try again later."
    ).retry(after: .seconds(1))

    /// Returns a 429 response to an address that has sent too many tokens without a session.
    package static func tooMany(_ wait: Duration) -> ServerResponse {
        refusal(
            .tooManyRequests, error: "temporarily_unavailable",
            description: "Too many requests from this address. Try again later."
        ).retry(after: wait)
    }

    /// A 404 response for metadata when the server cannot tell its own address from the request.
    package static let noMetadata = refusal(
        .notFound, error: "invalid_request", description: "The server does not know its own address.")

    /// Returns an error. The sentence is a constant, so that the response does not repeat what was sent.
    package static func refusal(
        _ status: HTTPStatus = .badRequest, error: StaticString, description sentence: StaticString
    ) -> ServerResponse {
        ServerResponse(
            status: status, headers: .privateJSON,
            body: Array(#"{"error":"\#(error)","error_description":"\#(sentence)"}"#.utf8))
    }

    /// Returns a response with a sentence that was made for the request. It must not repeat what was sent.
    package static func refusal(
        _ status: HTTPStatus = .badRequest, error: String, sentence: String
    ) -> ServerResponse {
        ServerResponse(
            status: status, headers: .privateJSON,
            body: JSONValue.object([
                .init("error", .string(error)), .init("error_description", .string(sentence)),
            ]).encoded())
    }
}
