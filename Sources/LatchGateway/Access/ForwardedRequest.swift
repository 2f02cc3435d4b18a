import HTTPServer
import Wire

/// The request that a proxy holds while it asks about it, as the proxy's header fields tell it.
///
/// Each of the four things is told by a field of the proxy's, in one of two spellings: `X-Forwarded-Host`, `-Proto`, `-Uri`
/// and `-Method` (Caddy, Traefik, and the configurations of ours), or `X-Original-URL`, which is all but the method,
/// `X-Original-URI` and `X-Original-Method`. A field that stands twice, two that disagree and one that cannot be read are
/// refused: one of them may be the client's. Only a trusted proxy's request may be read this way.
struct ForwardedRequest: Sendable {
    let method: HTTPMethod
    /// `https` or `http`.
    let scheme: String
    let host: AccessHost
    let path: AccessPath
    /// The path and the query as they were sent.
    let target: String
    /// Whether a field names another method, which a server behind might take.
    let hasOtherMethod: Bool

    /// The address without path.
    var origin: String { "\(scheme)://\(host)" }

    /// The path as it was sent.
    var sentPath: Substring { target.prefix { $0 != "?" } }

    /// Reads what the proxy tells.
    init(_ request: ServerRequest) throws(ForwardedRefusal) {
        var told = ForwardedFields()
        for field in request.headers.fields where (13...22).contains(field.name.utf8.count) { try told.take(field) }
        guard let method = told.method, let scheme = told.scheme, let host = told.host, let target = told.target else {
            throw .incomplete
        }
        guard target.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") }),
            let path = AccessPath(target.prefix { $0 != "?" })
        else { throw .ambiguousPath }
        self.method = HTTPMethod(rawValue: method)
        self.scheme = scheme
        self.host = host.withoutPort(of: scheme)
        self.path = path
        self.target = target
        hasOtherMethod = told.override != nil && told.override != method
    }
}

/// Why a proxy's word was not taken.
enum ForwardedRefusal: Error {
    /// A field is missing.
    case incomplete
    /// A field stands twice or cannot be read, or two say different things.
    case contradictory
    /// Two servers could read the path differently.
    case ambiguousPath
}
