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
        let parts = text.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
        let scheme = parts.count == 2 ? parts[0].lowercased() : "http"
        let host = (parts.last ?? "").split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        let isPlain = text.utf8.allSatisfy { $0 > 32 && $0 != 127 }
        guard ["http", "socks4", "socks4a", "socks5", "socks5h"].contains(scheme), !host.isEmpty, isPlain else {
            throw TransportError(
                .proxy,
                "Could not use the proxy with scheme '\(scheme)': write 'http://host:port', "
                    + "'socks5://host:port' or 'socks5h://host:port'."
            )
        }
        self.text = text
        shownName = "\(scheme)://\(host)"
    }
}
