public import Wire

/// A complete request: its head and body have arrived and passed all checks of the server.
public struct ServerRequest: Sendable {
    /// The id that the server gave the request: 15 hexadecimal digits. Also sent in the `X-Request-Id` of the response.
    public let id: String
    /// The request method.
    public let method: HTTPMethod
    /// The path as sent: percent-encoded, without query, always with a leading `/`.
    public let path: String
    /// The query as sent, without `?`. Nil when there is none.
    public let rawQuery: String?
    /// The header fields, in order.
    public let headers: HTTPHeaders
    /// The body. Empty when there is none.
    public let body: [UInt8]
    /// The address of the other end of the connection.
    public let peer: PeerAddress
    /// Whether the connection itself is encrypted. False when TLS ends at a proxy in front of the server.
    public let isTLS: Bool

    /// The percent-decoded components of the path. An encoded `%2F` stays inside its component.
    public var pathComponents: [String] {
        RequestTarget.components(of: path)
    }

    /// Returns the first value of a query parameter, or nil when it is missing.
    public func query(_ name: String) -> String? {
        queryFields[name]
    }

    /// Returns every value of a query parameter, in order.
    public func queryValues(_ name: String) -> [String] {
        queryFields.values(name)
    }

    private var queryFields: FormFields {
        // The query was already checked when the request was accepted, so this cannot fail.
        rawQuery.flatMap { try? FormURLEncoded.decode($0) } ?? FormFields()
    }
}
