import GatewayCore
import HTTPMessages
package import HTTPServer

extension PublicAddress {
    /// Returns the address in front of the dialect's prefix. Nil when no address is configured and the request's `Host`
    /// is not a loopback name.
    package func base(of request: ServerRequest) -> String? {
        if let configured { return configured }
        let hosts = request.headers.values("Host")
        // A client can send any name in `Host`, and the address becomes part of redirects.
        guard hosts.count == 1, let host = hosts.first, Self.isLoopback(host) else { return nil }
        return (isSecure ? "https://" : "http://") + host
    }

    /// Whether an `Origin` is that of the configured address, or has the host of the request, because people can sign in
    /// on other hosts too.
    ///
    /// Source: RFC 6454 §7.
    func isOrigin(_ found: String, of request: ServerRequest) -> Bool {
        if let origin, found == origin { return true }
        guard let host = request.headers["Host"] else { return false }
        let schemes = origin == nil ? ["http", "https"] : [isSecure ? "https" : "http"]
        return schemes.contains { found == "\($0)://\(host)" }
    }

    private static func isLoopback(_ host: String) -> Bool {
        let names = ["127.0.0.1", "[::1]", "localhost"]
        guard let name = names.first(where: { host.hasPrefix($0) }) else { return false }
        let rest = host.utf8.dropFirst(name.utf8.count)
        guard let colon = rest.first else { return true }
        let digits = String(Substring(rest.dropFirst()))
        return colon == UInt8(ascii: ":") && UInt16(digits).map(String.init) == digits
    }
}
