public import Wire

/// One request to a server.
public struct ClientRequest: Sendable {
    /// The method; `GET` unless told.
    public var method: HTTPMethod
    /// The whole address, `https://host/path?query`, without user name and password.
    public var url: String
    /// Header fields; they replace the configuration's extra headers of the same name.
    public var headers: HTTPHeaders
    /// The body; empty means none for `GET`, `HEAD`, `DELETE` and `OPTIONS`, and a body of length 0 for the others.
    public var body: [UInt8]
    /// The longest that name lookup, connecting and the TLS handshake may take together; 10 seconds unless told.
    public var connectTimeout: Duration
    /// The longest that the exchange may take as a whole, all redirects included; 30 seconds unless told, nil for no
    /// bound.
    public var timeout: Duration?
    /// How long not one byte may come before a transfer counts as broken, in whole seconds; nil for no bound.
    public var stallTimeout: Duration?
    /// What to do with a redirect; nothing unless told.
    public var redirects: Redirects
    /// Whether a redirect that ``redirects`` would follow is followed, by the answer that leads on; every one unless told. It
    /// must return at once.
    public var mayFollow: (@Sendable (ClientResponse) -> Bool)?
    /// The largest body to accept, in bytes after decompression; nil means 16 MiB in memory and no bound for a
    /// successful download.
    public var maximumBodyBytes: Int?

    /// What to do with a response of status 301, 302, 303, 307 or 308.
    public enum Redirects: Sendable, Equatable {
        /// Hand it to the caller.
        case none
        /// Follow up to so many in a row; see ``HTTPClient/send(_:)`` for what is left out on the way.
        case follow(maximum: Int)
    }

    /// Makes a request.
    public init(
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
    public var customMirror: Mirror {
        Mirror(self, children: ["method": method, "url": url, "headers": headers, "bodyCount": body.count])
    }
}
