public import Wire

/// A completed request, for the access log and metrics. Never contains the query, header fields or the body.
public struct AccessRecord: Sendable {
    /// The id of the request, as sent in `X-Request-Id`.
    public let id: String
    /// The method as sent.
    public let method: HTTPMethod
    /// The path as sent, without query.
    public let path: String
    /// The pattern of the matching route, such as `/api/sessions/{id}`. Nil when no route matched.
    public let route: String?
    /// The status of the response. ``clientClosed`` when the client disconnected before there was one.
    public let status: HTTPStatus
    /// The size of the response body in bytes.
    public let bytes: Int
    /// The time from the arrival of the request line to the end of the response.
    public let duration: Duration
    /// The address of the client.
    public let peer: PeerAddress

    /// Status 499, for a client that disconnected before it got a response. It is never sent.
    public static let clientClosed = HTTPStatus(rawValue: 499)
}
