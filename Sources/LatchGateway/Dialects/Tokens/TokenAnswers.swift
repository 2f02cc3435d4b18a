import HTTPServer
import Wire

/// The answers of the token endpoints, in OAuth's own envelope.
///
/// Source: RFC 6749 §5.2.
enum TokenAnswers {
    /// The whole answer about a token that opens nothing, whatever the reason.
    ///
    /// Source: RFC 7662 §2.2.
    static let inactive = ServerResponse(
        status: .ok, headers: .privateJSON, body: Array(#"{"active":false}"#.utf8))

    /// 400: the request is not as it must be; the sentence is a constant, what was sent is not repeated.
    static func invalidRequest(_ sentence: StaticString, _ status: HTTPStatus = .badRequest) -> ServerResponse {
        refusal(status, "invalid_request", sentence)
    }

    /// 401: the client is unknown or its secret wrong, which is not told apart.
    static let invalidClient: ServerResponse = {
        var response = refusal(.unauthorized, "invalid_client", "The client is unknown or its secret is wrong.")
        response.headers["WWW-Authenticate"] = #"Basic realm="latchd", charset="UTF-8""#
        return response
    }()

    /// 503: the database does not answer.
    static let unavailable = refusal(
        .serviceUnavailable, "temporarily_unavailable", "The server cannot tell now; try again shortly."
    ).retry(after: .seconds(1))

    /// 404: the request names another server than this one can know itself to be.
    static let noMetadata = refusal(.notFound, "invalid_request", "The server does not know its own address.")

    private static func refusal(_ status: HTTPStatus, _ error: StaticString, _ sentence: StaticString) -> ServerResponse
    {
        ServerResponse(
            status: status, headers: .privateJSON,
            body: Array(#"{"error":"\#(error)","error_description":"\#(sentence)"}"#.utf8))
    }
}
