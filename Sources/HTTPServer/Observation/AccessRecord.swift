public import Wire

/// One request that has ended, for the access log and metrics; never the query, a header or a body.
public struct AccessRecord: Sendable {
    /// The request's id, as sent in `X-Request-Id`.
    public let id: String
    /// The method as sent.
    public let method: HTTPMethod
    /// The path as sent, without query.
    public let path: String
    /// The pattern of the route that answered, such as `/api/sessions/{id}`; nil when none did.
    public let route: String?
    /// The status; ``clientClosed`` when the client went away before there was one.
    public let status: HTTPStatus
    /// The bytes of the answer's body.
    public let bytes: Int
    /// From the request line's arrival to the end of the answer.
    public let duration: Duration
    /// The client.
    public let peer: PeerAddress

    /// 499, which no client sees: it went away before its answer.
    public static let clientClosed = HTTPStatus(rawValue: 499)
}
