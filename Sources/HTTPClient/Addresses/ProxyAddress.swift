/// A proxy as curl takes it, and as messages may name it.
struct ProxyAddress: Sendable {
    /// The whole text, which may hold a password.
    let text: String
    /// Scheme, host and port, without user name and password.
    let shownName: String

    /// Reads `scheme://[user:password@]host[:port]`; without a scheme it is an HTTP proxy.
    ///
    /// `https://` proxies are refused: curl would show them the client certificate and check the pin against theirs.
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
