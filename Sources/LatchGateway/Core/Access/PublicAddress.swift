import HTTPServer
import Wire

/// The address of this server for browsers and identity providers.
///
/// A request's `Host` field is trusted only when it names a loopback host, which is for development. Otherwise the
/// sender of a request could choose where the provider redirects the browser.
struct PublicAddress: Sendable {
    /// The configured address, without a slash at its end. Nil when none is configured.
    let configured: String?
    /// Whether browsers use `https`.
    let isSecure: Bool

    /// Makes the address from the configuration, if there is one. `isTLS` says whether the server itself uses TLS.
    init(_ configured: String?, isTLS: Bool) {
        self.configured = configured.map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 }
        isSecure = configured.map { $0.lowercased().hasPrefix("https://") } ?? isTLS
    }

    /// Returns the address in front of the dialect's prefix. Nil when no address is configured and the request's `Host`
    /// is not a loopback name.
    func base(of request: ServerRequest) -> String? {
        if let configured { return configured }
        let hosts = request.headers.values("Host")
        guard hosts.count == 1, let host = hosts.first, Self.isLoopback(host) else { return nil }
        return (isSecure ? "https://" : "http://") + host
    }

    /// Returns a link to a path of this server: absolute when the address is configured, otherwise the path alone.
    func link(_ path: String) -> String { (configured ?? "") + path }

    /// The origin as browsers write it. Nil when the address is not configured.
    ///
    /// Source: RFC 6454 §6.2.
    var origin: String? {
        guard let configured else { return nil }
        let parts = configured.lowercased().split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        var authority = parts[2].prefix { $0 != "/" }
        let port = isSecure ? ":443" : ":80"
        if authority.hasSuffix(port) { authority = authority.dropLast(port.utf8.count) }
        return "\(parts[0])//\(authority)"
    }

    /// The configured host, with its port unless that is the default port of the scheme.
    var host: AccessHost? { origin.flatMap { AccessHost($0.drop { $0 != "/" }.dropFirst(2)) } }

    private static func isLoopback(_ host: String) -> Bool {
        let names = ["127.0.0.1", "[::1]", "localhost"]
        guard let name = names.first(where: { host.hasPrefix($0) }) else { return false }
        let rest = host.utf8.dropFirst(name.utf8.count)
        guard let colon = rest.first else { return true }
        let digits = String(Substring(rest.dropFirst()))
        return colon == UInt8(ascii: ":") && UInt16(digits).map(String.init) == digits
    }
}
