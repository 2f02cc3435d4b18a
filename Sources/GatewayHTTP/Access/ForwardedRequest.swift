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
///
/// `Destination` of the client names a second resource, the target of `COPY` and `MOVE`. It is read with every method,
/// because backends have methods of their own.
///
/// Source: RFC 4918 §10.3.
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
    /// The path in `Destination`, which is on the same host. Nil when the request has no such field.
    package let destination: AccessPath?
    /// The same path, unmodified.
    private let sentDestination: String?

    /// The scheme and host of the address.
    package var origin: String { "\(scheme)://\(host)" }

    /// The path, unmodified.
    package var sentPath: Substring { target.prefix { $0 != "?" } }

    /// Whether the request is for a resource, the address of a server or of a path on it: `https://host/path`. Its
    /// destination must be there too.
    ///
    /// Source: RFC 8707 §2; RFC 9728 §3.3, for a slash that stands for an empty path.
    package func isBelow(resource: String) -> Bool {
        guard resource.hasPrefix(origin) else { return false }
        var path = resource.dropFirst(origin.utf8.count)
        if path.hasSuffix("/") { path = path.dropLast() }
        guard !path.isEmpty else { return true }
        return path.hasPrefix("/") && Self.isAt(path, sentPath)
            && (sentDestination.map { Self.isAt(path, $0[...]) } ?? true)
    }

    /// Whether an unmodified path is `path` or below it.
    private static func isAt(_ path: Substring, _ sent: Substring) -> Bool {
        sent == path || sent.hasPrefix(path + "/")
    }

    /// Parses the header fields of a request from the proxy.
    package init(_ request: ServerRequest) throws(ForwardedRefusal) {
        var fields = ForwardedFields()
        // The names that `ForwardedFields` reads have 7, 11 or 13 to 22 bytes.
        for field in request.headers.fields {
            let length = field.name.utf8.count
            if length == 7 || length == 11 || (13...22).contains(length) { try fields.read(field) }
        }
        guard let method = fields.method, let scheme = fields.scheme, let host = fields.host,
            let target = fields.target
        else { throw .incomplete }
        guard target.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") }),
            let path = AccessPath(target.prefix { $0 != "?" })
        else { throw .ambiguousPath }
        let plainHost = host.withoutPort(of: scheme)
        self.method = HTTPMethod(rawValue: method)
        self.scheme = scheme
        self.host = plainHost
        self.path = path
        self.target = target
        hasOtherMethod = fields.override != nil && fields.override != method
        guard let field = fields.destination else {
            destination = nil
            sentDestination = nil
            return
        }
        let sent = try Self.path(of: field, on: plainHost)
        guard let read = AccessPath(sent[...]) else { throw .ambiguousPath }
        destination = read
        sentDestination = sent
    }

    /// Returns the path in `Destination`, which must be an absolute path or an address on the requested host.
    ///
    /// The scheme may be another one, because a server in front of the proxy may end TLS. The port counts only if the
    /// proxy reports the port that the client wrote.
    private static func path(of destination: String, on host: AccessHost) throws(ForwardedRefusal) -> String {
        if destination.hasPrefix("/") { return destination }
        guard let address = ForwardedFields.split(destination) else { throw .contradictory }
        let other = address.host.withoutPort(of: address.scheme)
        guard other.name == host.name, host.port == nil || other.port == host.port else { throw .contradictory }
        return address.target
    }
}

/// Why the header fields of a proxy were refused.
package enum ForwardedRefusal: Error {
    /// A field is missing.
    case incomplete
    /// A field occurs twice or is invalid, two fields contradict each other, or the destination is on another host.
    case contradictory
    /// Two servers could read the path, or that of the destination, differently.
    case ambiguousPath
    /// The request asks for a tunnel or for another protocol than WebSocket (`CONNECT`, `Upgrade: h2c`), or to be sent
    /// back with all fields that the proxy added (`TRACE`).
    ///
    /// Source: RFC 9110 §7.8, §9.3.6 and §9.3.8; RFC 7540 §3.2 for `h2c`.
    case otherProtocol
}
