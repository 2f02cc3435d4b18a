import HTTPServer
import Wire

/// The address that browsers and identity providers know this server by.
///
/// A request's `Host` is believed for a loopback name alone, for development: elsewhere who sends the request could choose
/// where the provider sends the browser.
struct PublicAddress: Sendable {
    /// The configured address, without a slash at its end.
    let configured: String?
    /// Whether browsers come with `https`.
    let isSecure: Bool

    /// Takes the configured address, if there is one; `isTLS` says whether the server itself speaks TLS.
    init(_ configured: String?, isTLS: Bool) {
        self.configured = configured.map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 }
        isSecure = configured.map { $0.lowercased().hasPrefix("https://") } ?? isTLS
    }

    /// The address in front of the dialect's prefix; nil when it is not configured and the request does not come from this
    /// machine.
    func base(of request: ServerRequest) -> String? {
        if let configured { return configured }
        let hosts = request.headers.values("Host")
        guard hosts.count == 1, let host = hosts.first, Self.isLoopback(host) else { return nil }
        return (isSecure ? "https://" : "http://") + host
    }

    /// A path of this server as others may use it: whole when the address is configured.
    func link(_ path: String) -> String { (configured ?? "") + path }

    /// The origin as browsers write it; nil when the address is not configured.
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

    /// The configured host, with its port where that is not the scheme's own.
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
