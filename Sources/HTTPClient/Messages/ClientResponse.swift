public import HTTPMessages

/// The complete response of a server.
public struct ClientResponse: Sendable {
    /// The status code.
    public var status: HTTPStatus
    /// The header fields, without trailers. `Content-Length` and `Content-Encoding` are as sent, even when the body was
    /// decompressed.
    public var headers: HTTPHeaders
    /// The decompressed body. Empty after a download to a file.
    public var body: [UInt8]
    /// The address that sent the response: that of the request, or of the last redirect.
    public var url: String
    /// The HTTP version of the response.
    package var httpVersion: HTTPVersion
    /// Information about the redirects that were followed. Nil without redirects.
    package var redirection: Redirection?

    /// Creates a response, for tests.
    package init(
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

/// Information about the redirects that led to a response.
package struct Redirection: Sendable, Hashable {
    /// Whether the redirects led to another origin. That origin got no credentials, and its response says nothing about
    /// the first origin.
    package var isOtherOrigin: Bool
    /// Whether the server sent a web page in place of a requested file. The page was not accepted, and the part is
    /// unchanged.
    package var isRejectedPage: Bool

    /// Creates a value, for tests.
    package init(isOtherOrigin: Bool, isRejectedPage: Bool = false) {
        self.isOtherOrigin = isOtherOrigin
        self.isRejectedPage = isRejectedPage
    }
}

extension ClientResponse: CustomReflectable {
    /// A mirror without the values of header fields and without the body, which may hold a token.
    public var customMirror: Mirror {
        Mirror(self, children: ["status": status, "url": url, "headers": headers, "bodyCount": body.count])
    }
}

/// A version of HTTP.
package enum HTTPVersion: String, Sendable, CustomStringConvertible {
    /// HTTP/1.0.
    case http10 = "1.0"
    /// HTTP/1.1, RFC 9112.
    case http11 = "1.1"
    /// HTTP/2, RFC 9113.
    case http2 = "2"

    /// The version number, such as `1.1` or `2`.
    package var description: String { rawValue }
}
