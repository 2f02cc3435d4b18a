public import Wire

/// A server's whole answer.
public struct ClientResponse: Sendable {
    /// The status.
    public var status: HTTPStatus
    /// The header fields, without trailers; `Content-Length` and `Content-Encoding` are as sent, also when the body was
    /// decompressed.
    public var headers: HTTPHeaders
    /// The body, decompressed; empty after a download that went to a file.
    public var body: [UInt8]
    /// The address that answered: the request's own, or the last redirect's.
    public var url: String
    /// The protocol version that was spoken.
    public var httpVersion: HTTPVersion
    /// What the redirects were that were followed to it; nil without any.
    public var redirection: Redirection?

    /// Makes a response, for tests of code that reads one.
    public init(
        status: HTTPStatus, headers: HTTPHeaders = [:], body: [UInt8] = [], url: String = "",
        httpVersion: HTTPVersion = .http11
    ) {
        self.status = status
        self.headers = headers
        self.body = body
        self.url = url
        self.httpVersion = httpVersion
    }
}

/// That an answer came by redirects.
public struct Redirection: Sendable, Hashable {
    /// Whether they led to another origin: what answers there got no credentials, and does not speak for the first.
    public var isElsewhere: Bool
    /// Whether a web page came where a file was asked for. It was not taken: the part is as it was.
    public var isUntakenPage: Bool

    /// Makes one, for tests of code that reads it.
    public init(isElsewhere: Bool, isUntakenPage: Bool = false) {
        self.isElsewhere = isElsewhere
        self.isUntakenPage = isUntakenPage
    }
}

extension ClientResponse: CustomReflectable {
    /// A mirror without the values of header fields and without the body, which may hold a token.
    public var customMirror: Mirror {
        Mirror(self, children: ["status": status, "url": url, "headers": headers, "bodyCount": body.count])
    }
}

/// A version of HTTP.
public enum HTTPVersion: String, Sendable, CustomStringConvertible {
    /// HTTP/1.0.
    case http10 = "1.0"
    /// HTTP/1.1, RFC 9112.
    case http11 = "1.1"
    /// HTTP/2, RFC 9113.
    case http2 = "2"

    /// The version's number, `1.1` or `2`.
    public var description: String { rawValue }
}
