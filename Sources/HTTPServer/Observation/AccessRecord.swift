package import HTTPMessages

/// A completed request, for the access log and metrics. Never contains the query, header fields or the body.
package struct AccessRecord: Sendable {
    /// The id of the request, as sent in `X-Request-Id`.
    package let id: String
    /// The method as sent.
    package let method: HTTPMethod
    /// The path as sent, without query.
    package let path: String
    /// The pattern of the matching route, such as `/api/sessions/{id}`. Nil when no route matched.
    package let route: String?
    /// The status of the response. ``clientClosed`` when the client disconnected before there was one.
    package let status: HTTPStatus
    /// The size of the response body in bytes.
    package let bytes: Int
    /// The time from the arrival of the request line to the end of the response.
    package let duration: Duration
    /// The address of the client.
    package let peer: PeerAddress
    /// The id of the distributed trace: 32 hexadecimal digits. Nil when the request is not traced.
    package let traceID: String?

    /// Status 499, for a client that disconnected before it got a response. It is never sent.
    package static let clientClosed = HTTPStatus(rawValue: 499)
}
