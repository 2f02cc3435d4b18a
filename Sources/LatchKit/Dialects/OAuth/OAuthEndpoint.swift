import HTTPMessages
import Primitives

/// The address of an endpoint of an authorization server: an origin, and a path with an optional query.
struct OAuthEndpoint: Sendable, Hashable {
    /// The maximum size of each document and response, in bytes.
    static let maximumBodyBytes = 64 << 10

    /// The origin.
    let origin: ServerAddress
    /// The path below the origin, with the query.
    let path: String

    /// Parses an absolute `http` or `https` URL without a user name and without a fragment. Nil for any other text.
    init?(_ url: String) {
        guard let scheme = ["https://", "http://"].first(where: { url.utf8.starts(with: $0.utf8) }) else { return nil }
        let rest = Substring(url.utf8.dropFirst(scheme.utf8.count))
        let authority = rest.prefix(beforeBytes: "/?#")
        guard let origin = try? ServerAddress(scheme + authority) else { return nil }
        let tail = Substring(rest.utf8.dropFirst(authority.utf8.count))
        let path = tail.utf8.first == UInt8(ascii: "/") ? String(tail) : "/" + tail
        guard (try? origin.url(of: path)) != nil else { return nil }
        self.origin = origin
        self.path = path
    }

    /// The URL.
    var url: String { origin.url + path }

    /// Whether the endpoint is encrypted or on this machine.
    var isProtected: Bool { origin.isEncrypted || origin.isLoopback }

    /// Returns a request that asks for JSON.
    func request(_ method: HTTPMethod = .get) -> DialectRequest {
        var request = DialectRequest(method, path, headers: ["Accept": JSON.mediaType], base: origin)
        request.maximumBodyBytes = Self.maximumBodyBytes
        return request
    }

    /// Returns a request with a form as its body.
    func post(_ form: [(String, String)]) -> DialectRequest {
        var request = request(.post)
        request.headers["Content-Type"] = FormURLEncoded.mediaType
        request.body = Array(FormURLEncoded.encode(form).utf8)
        return request
    }
}
