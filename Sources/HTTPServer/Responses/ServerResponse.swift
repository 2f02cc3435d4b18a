package import HTTPMessages

/// A response of the server.
///
/// The server itself writes `Content-Length`, `Transfer-Encoding`, `Date` and `X-Request-Id`, and ignores these fields
/// of a handler. `Connection: close` is honoured. Any other field is sent unchanged. A field whose name is not a token
/// or whose value has a control character turns the whole response into a 500, as do more than 8 KiB of fields.
package struct ServerResponse: Sendable {
    /// The status code, 200 to 599. Any other code becomes 500.
    package var status: HTTPStatus
    /// The header fields.
    package var headers: HTTPHeaders
    /// The body. It is not sent for `HEAD`, 204 and 304. Its length is sent for `HEAD`, and for 304, where it must be
    /// the length of the 200 response.
    ///
    /// Source: RFC 9110 §8.6.
    package var body: ResponseBody

    /// Creates a response with a body in memory.
    package init(status: HTTPStatus = .ok, headers: HTTPHeaders = [:], body: [UInt8] = []) {
        self.init(status: status, headers: headers, body: .bytes(body))
    }

    /// Creates a response.
    package init(status: HTTPStatus = .ok, headers: HTTPHeaders = [:], body: ResponseBody) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// Returns a response with a JSON body and its content type.
    package static func json(_ value: some Encodable, status: HTTPStatus = .ok) -> ServerResponse {
        ServerResponse(status: status, headers: ["Content-Type": JSON.mediaType], body: JSON.encode(value))
    }

    /// Returns a response with a text body and its content type.
    package static func text(_ text: String, status: HTTPStatus = .ok) -> ServerResponse {
        ServerResponse(
            status: status, headers: ["Content-Type": "text/plain; charset=utf-8"], body: Array(text.utf8))
    }
}
