package import HTTPMessages

/// A request to a server.
package struct ClientRequest: Sendable {
    /// The request method. Default: `GET`.
    package var method: HTTPMethod
    /// The complete address, `https://host/path?query`, without user name and password.
    package var url: String
    /// The header fields. They replace the configuration's extra header fields with the same names.
    package var headers: HTTPHeaders
    /// The body. An empty array means no body for `GET`, `HEAD`, `DELETE` and `OPTIONS`, and a body of length 0 for
    /// other methods.
    package var body: [UInt8]
    /// The timeout of name lookup, connecting and the TLS handshake together. Default: 10 seconds.
    package var connectTimeout: Duration
    /// The timeout of the whole exchange, including all redirects. Nil means no timeout. Default: 30 seconds.
    package var timeout: Duration?
    /// The time without a received byte after which a transfer fails, in whole seconds. Nil means no timeout. Default:
    /// nil.
    package var stallTimeout: Duration?
    /// How redirects are handled. Default: they are not followed.
    package var redirects: Redirects
    /// A closure that decides whether a redirect that ``redirects`` allows is followed. It gets the redirect response
    /// and must return at once. Nil, the default, follows every one.
    package var mayFollow: (@Sendable (ClientResponse) -> Bool)?
    /// The maximum size of the response body, in bytes after decompression. Nil, the default, means 16 MiB in memory
    /// and no limit for a successful download.
    package var maximumBodyBytes: Int?

    /// The handling of responses with status 301, 302, 303, 307 or 308.
    package enum Redirects: Sendable, Equatable {
        /// Redirects are returned to the caller.
        case none
        /// Up to `maximum` redirects in a row are followed. See ``HTTPClient/send(_:)`` for what is not sent to other
        /// origins.
        case follow(maximum: Int)
    }

    /// Creates a request.
    package init(
        method: HTTPMethod = .get, url: String, headers: HTTPHeaders = [:], body: [UInt8] = [],
        connectTimeout: Duration = .seconds(10), timeout: Duration? = .seconds(30), stallTimeout: Duration? = nil,
        redirects: Redirects = .none, maximumBodyBytes: Int? = nil
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.connectTimeout = connectTimeout
        self.timeout = timeout
        self.stallTimeout = stallTimeout
        self.redirects = redirects
        self.maximumBodyBytes = maximumBodyBytes
    }
}

extension ClientRequest: CustomReflectable {
    /// A mirror without the values of header fields and without the body, which may hold a token or password.
    package var customMirror: Mirror {
        Mirror(self, children: ["method": method, "url": url, "headers": headers, "bodyCount": body.count])
    }
}
