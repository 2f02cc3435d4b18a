package import HTTPMessages

/// A complete request: its head and body have arrived and passed all checks of the server.
package struct ServerRequest: Sendable {
    /// The id that the server gave the request: 15 hexadecimal digits. Also sent in the `X-Request-Id` of the response.
    package let id: String
    /// The request method.
    package let method: HTTPMethod
    /// The path as sent: percent-encoded, without query, always with a leading `/`.
    package let path: String
    /// The query as sent, without `?`. Nil when there is none.
    package let rawQuery: String?
    /// The header fields, in order.
    package let headers: HTTPHeaders
    /// The body. Empty when there is none.
    package let body: [UInt8]
    /// The address of the other end of the connection.
    package let peer: PeerAddress
    /// Whether the connection itself is encrypted. False when TLS ends at a proxy in front of the server.
    package let isTLS: Bool

    /// The percent-decoded components of the path. An encoded `%2F` stays inside its component.
    var pathComponents: [String] {
        RequestTarget.components(of: path)
    }

    /// Returns the first value of a query parameter, or nil when it is missing.
    package func query(_ name: String) -> String? {
        queryFields[name]
    }

    /// Returns every value of a query parameter, in order.
    package func queryValues(_ name: String) -> [String] {
        queryFields.values(name)
    }

    private var queryFields: FormFields {
        // The query was already checked when the request was accepted, so this cannot fail.
        rawQuery.flatMap { try? FormURLEncoded.decode($0) } ?? FormFields()
    }
}
