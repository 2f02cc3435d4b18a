import GatewayCore
import GatewayHTTP
import HTTPMessages
import HTTPServer

/// A check of the page that makes a request with a browser's cookie.
///
/// `SameSite=Lax` does not stop a page on another host of the same domain: the browser adds the cookie to its forms and
/// WebSockets. The browser names the page in `Origin`.
///
/// Source: draft-ietf-httpbis-rfc6265bis §5.2; RFC 6454 §7; RFC 6455 §10.2; W3C Fetch Metadata §2.3.
struct OriginCheck: Sendable {
    let hosts: ReturnHosts

    /// Whether the cookie of a request counts.
    ///
    /// It always counts for a request that only reads. For other methods and for WebSockets, the page must be on the
    /// requested host, on the server's own or on one that an access rule names. A request without `Origin`, or with
    /// `null`, is allowed unless the browser reports that another site or host sent it.
    func allow(_ request: ServerRequest, _ forwarded: ForwardedRequest) -> Bool {
        guard Self.changesSomething(request, forwarded) else { return true }
        let origins = request.headers.values("Origin")
        guard let origin = origins.first, origin != "null" else {
            return !["same-site", "cross-site"].contains(request.headers["Sec-Fetch-Site"])
        }
        guard origins.count == 1, let scheme = ["https", "http"].first(where: { origin.hasPrefix($0 + "://") }),
            let host = AccessHost(origin.dropFirst(scheme.utf8.count + 3))?.withoutPort(of: scheme)
        else { return false }
        // The proxy does not report the port that the client wrote.
        let isRequested = host.name == forwarded.host.name && (scheme == "https" || forwarded.scheme == "http")
        return isRequested || hosts.contains(host, scheme)
    }

    /// Whether the request has a method that changes something or opens a WebSocket. Proxies may keep `Upgrade` back,
    /// but not the fields of the opening handshake.
    private static func changesSomething(_ request: ServerRequest, _ forwarded: ForwardedRequest) -> Bool {
        !["GET", "HEAD", "OPTIONS"].contains(forwarded.method.rawValue) || forwarded.hasOtherMethod
            || ["Upgrade", "Sec-WebSocket-Key", "Sec-WebSocket-Version"].contains { request.headers[$0] != nil }
    }
}
