public import Wire

/// A complete request: head and body have arrived and passed every check of the server.
public struct ServerRequest: Sendable {
    /// The server's own id of this request, 15 hexadecimal digits; also in the answer's `X-Request-Id`.
    public let id: String
    /// The method.
    public let method: HTTPMethod
    /// The path as sent: percent-encoding kept, no query, always with a leading `/`.
    public let path: String
    /// The query as sent, without `?`; nil when there is none.
    public let rawQuery: String?
    /// The header fields in order.
    public let headers: HTTPHeaders
    /// The body; empty when there is none.
    public let body: [UInt8]
    /// The other end of the connection.
    public let peer: PeerAddress
    /// Whether the connection itself is encrypted; false where TLS ends at a proxy in front.
    public let isTLS: Bool

    /// The path's components, percent-decoded: an encoded `%2F` stays inside its component.
    public var pathComponents: [String] {
        RequestTarget.components(of: path)
    }

    /// The first value of a query parameter; nil when it is missing.
    public func query(_ name: String) -> String? {
        queryFields[name]
    }

    /// Every value of a query parameter, in order.
    public func queryValues(_ name: String) -> [String] {
        queryFields.values(name)
    }

    private var queryFields: FormFields {
        // The query was read once before the request was let in, so this cannot fail.
        rawQuery.flatMap { try? FormURLEncoded.decode($0) } ?? FormFields()
    }
}
