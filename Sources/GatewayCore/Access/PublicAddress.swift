/// The address of this server for browsers and identity providers.
///
/// A request's `Host` field is trusted only when it names a loopback host, which is for development. Otherwise the
/// sender of a request could choose where the provider redirects the browser.
package struct PublicAddress: Sendable {
    /// The configured address, without a slash at its end. Nil when none is configured.
    package let configured: String?
    /// Whether browsers use `https`.
    package let isSecure: Bool

    /// Makes the address from the configuration, if there is one. `isTLS` says whether the server itself uses TLS.
    package init(_ configured: String?, isTLS: Bool) {
        self.configured = configured.map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 }
        isSecure = configured.map { $0.lowercased().hasPrefix("https://") } ?? isTLS
    }

    /// Returns a link to a path of this server: absolute when the address is configured, otherwise the path alone.
    package func link(_ path: String) -> String { (configured ?? "") + path }

    /// The origin as browsers write it. Nil when the address is not configured.
    ///
    /// Source: RFC 6454 §6.2.
    package var origin: String? {
        guard let configured else { return nil }
        let parts = configured.lowercased().split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        var authority = parts[2].prefix { $0 != "/" }
        let port = isSecure ? ":443" : ":80"
        if authority.hasSuffix(port) { authority = authority.dropLast(port.utf8.count) }
        return "\(parts[0])//\(authority)"
    }

    /// The configured host, with its port unless that is the default port of the scheme.
    package var host: AccessHost? { origin.flatMap { AccessHost($0.drop { $0 != "/" }.dropFirst(2)) } }
}
