public import Wire

/// What the server answers.
///
/// `Content-Length`, `Transfer-Encoding`, `Date` and `X-Request-Id` are the server's own: a handler's are left out.
/// `Connection: close` is honoured. Any other field is sent as given; one whose name is no token or whose value has a
/// control character turns the whole answer into a 500, as do more than 8 KiB of fields.
public struct ServerResponse: Sendable {
    /// The status, 200 to 599; any other number becomes 500.
    public var status: HTTPStatus
    /// The header fields.
    public var headers: HTTPHeaders
    /// The body; not sent for `HEAD`, 204 and 304. Its length is told for `HEAD`, and for 304, where it must be the one that
    /// 200 would tell.
    ///
    /// Source: RFC 9110 §8.6.
    public var body: ResponseBody

    /// Makes a response with a body in memory.
    public init(status: HTTPStatus = .ok, headers: HTTPHeaders = [:], body: [UInt8] = []) {
        self.init(status: status, headers: headers, body: .bytes(body))
    }

    /// Makes a response.
    public init(status: HTTPStatus = .ok, headers: HTTPHeaders = [:], body: ResponseBody) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// A JSON body with its content type.
    public static func json(_ value: some Encodable, status: HTTPStatus = .ok) -> ServerResponse {
        ServerResponse(status: status, headers: ["Content-Type": JSON.mediaType], body: JSON.encode(value))
    }

    /// A text body with its content type.
    public static func text(_ text: String, status: HTTPStatus = .ok) -> ServerResponse {
        ServerResponse(
            status: status, headers: ["Content-Type": "text/plain; charset=utf-8"], body: Array(text.utf8))
    }
}
