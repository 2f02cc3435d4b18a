package import GatewayCore
package import HTTPMessages
package import HTTPServer

/// The original request that a proxy asks about, as described by the proxy's header fields.
///
/// The host, scheme, target and method come from header fields of one of two conventions. One is `X-Forwarded-Host`,
/// `-Proto`, `-Uri` and `-Method` (Caddy, Traefik, and the configurations in our documentation). The other is
/// `X-Original-URL`, which contains everything except the method, `X-Original-URI` and `X-Original-Method`. Duplicate,
/// contradictory and invalid fields are refused, because one of them may come from the client. So are requests after
/// which the connection could leave HTTP/1.1, because no later request on it would be checked. Only a request from a
/// trusted proxy may be read this way.
package struct ForwardedRequest: Sendable {
    package let method: HTTPMethod
    /// `https` or `http`.
    package let scheme: String
    package let host: AccessHost
    package let path: AccessPath
    /// The path and the query, unmodified.
    package let target: String
    /// Whether a field names another method that a backend might use.
    package let hasOtherMethod: Bool

    /// The scheme and host of the address.
    package var origin: String { "\(scheme)://\(host)" }

    /// The path, unmodified.
    package var sentPath: Substring { target.prefix { $0 != "?" } }

    /// Whether the request is for a resource, the address of a server or of a path on it: `https://host/path`.
    ///
    /// Source: RFC 8707 §2; RFC 9728 §3.3, for a slash that stands for an empty path.
    package func isBelow(resource: String) -> Bool {
        guard resource.hasPrefix(origin) else { return false }
        var path = resource.dropFirst(origin.utf8.count)
        if path.hasSuffix("/") { path = path.dropLast() }
        return path.isEmpty || path.hasPrefix("/") && (sentPath == path || sentPath.hasPrefix(path + "/"))
    }

    /// Parses the header fields of a request from the proxy.
    package init(_ request: ServerRequest) throws(ForwardedRefusal) {
        var fields = ForwardedFields()
        // The names that `ForwardedFields` reads have 7 or 13 to 22 bytes.
        for field in request.headers.fields {
            let length = field.name.utf8.count
            if length == 7 || (13...22).contains(length) { try fields.read(field) }
        }
        guard let method = fields.method, let scheme = fields.scheme, let host = fields.host,
            let target = fields.target
        else { throw .incomplete }
        guard target.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") }),
            let path = AccessPath(target.prefix { $0 != "?" })
        else { throw .ambiguousPath }
        self.method = HTTPMethod(rawValue: method)
        self.scheme = scheme
        self.host = host.withoutPort(of: scheme)
        self.path = path
        self.target = target
        hasOtherMethod = fields.override != nil && fields.override != method
    }
}

/// Why the header fields of a proxy were refused.
package enum ForwardedRefusal: Error {
    /// A field is missing.
    case incomplete
    /// A field occurs twice or is invalid, or two fields contradict each other.
    case contradictory
    /// Two servers could read the path differently.
    case ambiguousPath
    /// The request asks for a tunnel or for another protocol than WebSocket (`CONNECT`, `Upgrade: h2c`), or to be sent
    /// back with all fields that the proxy added (`TRACE`).
    ///
    /// Source: RFC 9110 §7.8, §9.3.6 and §9.3.8; RFC 7540 §3.2 for `h2c`.
    case otherProtocol
}
