import Primitives

/// The address of a proxy, in the form for the engine and in a form for messages.
struct ProxyAddress: Sendable {
    /// The complete address, which may contain a password.
    let text: String
    /// Scheme, host and port, without user name and password, for messages.
    let shownName: String

    /// Parses `scheme://[user:password@]host[:port]`. Without a scheme, the proxy is an HTTP proxy.
    ///
    /// `https://` proxies are refused, because libcurl would send them the client certificate and compare their
    /// certificate with the pin.
    init(_ text: String) throws(TransportError) {
        let mark = text.schemeMark
        let scheme = mark.map { text[..<$0.lowerBound].lowercased() } ?? "http"
        let rest = mark.map { text[$0.upperBound...] } ?? text[...]
        let host = rest.split(atLastByte: "@")?.tail ?? rest
        let isPlain = text.utf8.allSatisfy { $0 > 32 && $0 != 127 }
        let schemes = ["http", "socks4", "socks4a", "socks5", "socks5h"]
        guard schemes.contains(scheme), isPlain, Self.hasHostAndPort(host) else {
            // The address may contain a password.
            throw TransportError(
                .proxy,
                "Could not use the address of the proxy. Write it as 'http://host:port', 'socks5://host:port' or "
                    + "'socks5h://host:port', with a port from 1 to 65535."
            )
        }
        self.text = text
        shownName = "\(scheme)://\(host)"
    }

    /// Whether `text` is a host, or an IPv6 address in brackets, with a valid port if it has one.
    private static func hasHostAndPort(_ text: Substring) -> Bool {
        let authority = text.prefix { $0 != "/" }
        let end = authority.lastIndex(of: "]").map(authority.index(after:)) ?? authority.firstIndex(of: ":")
        let host = authority[..<(end ?? authority.endIndex)]
        guard !host.isEmpty, !host.hasPrefix(":"), host.hasPrefix("[") == host.hasSuffix("]") else { return false }
        guard let rest = end.map({ authority[$0...] }), !rest.isEmpty else { return true }
        let port = rest.dropFirst()
        return rest.hasPrefix(":") && port.utf8.allSatisfy { 48...57 ~= $0 } && UInt16(port).map { $0 > 0 } ?? false
    }
}

extension HTTPClient {
    /// Checks the address of a proxy without connecting to it.
    ///
    /// - Parameter text: `scheme://[user:password@]host[:port]`, or `host[:port]` for an HTTP proxy. Empty for none.
    /// - Throws: ``TransportError`` with the code `proxy`. Its message does not contain the address.
    package static func checkProxy(_ text: String) throws(TransportError) {
        if !text.isEmpty { _ = try ProxyAddress(text) }
    }
}
