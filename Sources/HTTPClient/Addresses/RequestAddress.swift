/// An `http` or `https` address. It is parsed and assembled by the library that also sends
/// the request, so that both read it in the same way.
struct RequestAddress: Sendable, Equatable {
    /// The complete address without its fragment.
    let url: String
    /// `http` or `https`.
    let scheme: String
    /// The host in lower case. An IPv6 address is in brackets.
    let host: String
    /// The port. Default: the default port of the scheme.
    let port: Int

    /// Scheme, host and port, as messages name the server. The default port of the scheme is left out.
    var origin: String {
        let usual = scheme == "https" ? 443 : 80
        return port == usual ? "\(scheme)://\(host)" : "\(scheme)://\(host):\(port)"
    }

    /// Returns whether both addresses have the same scheme, host and port.
    ///
    /// Source: RFC 6454 §5.
    func hasSameOrigin(as other: RequestAddress) -> Bool {
        scheme == other.scheme && host == other.host && port == other.port
    }

    /// Parses an address.
    init(parsing text: String) throws(TransportError) {
        guard !text.utf8.contains(where: { $0 <= 32 || $0 == 127 }) else {
            throw TransportError(
                .invalidAddress, "Could not use the address: it contains a space or a control character; remove it.")
        }
        let parts = AddressParts()
        // Checked here, because libcurl accepts one to three slashes in place of two.
        guard Self.hasPlainStart(text), parts.parse(text) else {
            throw TransportError(
                .invalidAddress,
                "Could not use the address: it is not a URL; write it as 'https://host' or 'https://host:port'.")
        }
        try self.init(parts)
    }

    /// Returns whether the text has `://` after the scheme. Compares bytes, as libcurl does, because a combining mark
    /// after a slash forms another character with it.
    private static func hasPlainStart(_ text: String) -> Bool {
        let rest = text.utf8.drop { $0 != UInt8(ascii: ":") }
        return rest.starts(with: "://".utf8) && !rest.starts(with: ":///".utf8)
    }

    /// Returns the address that a `Location` field of a response from this address refers to. Spaces in it are encoded.
    ///
    /// Source: RFC 9110 §10.2.2, RFC 3986 §5.2.
    func resolving(_ location: String) throws(TransportError) -> RequestAddress {
        let parts = AddressParts()
        guard parts.parse(url), parts.resolve(location) else {
            throw TransportError(
                .redirectRefused,
                "Could not follow the redirect of '\(origin)': its target is not a URL; report this to its operator.")
        }
        if let scheme = parts.scheme, scheme != "http", scheme != "https" {
            throw TransportError(
                .redirectRefused,
                "Did not follow the redirect of '\(origin)': its target has the unsupported scheme '\(scheme)'.")
        }
        do {
            return try RequestAddress(parts)
        } catch {
            throw TransportError(
                .redirectRefused,
                "Did not follow the redirect of '\(origin)': its target contains a user name or password, or has an "
                    + "invalid host or port; report this to the server's operator.", cause: error)
        }
    }

    private init(_ parts: borrowing AddressParts) throws(TransportError) {
        guard let scheme = parts.scheme, scheme == "http" || scheme == "https" else {
            throw TransportError(
                .invalidAddress, "Could not use the address: it must begin with 'https://' or 'http://'.")
        }
        guard !parts.hasCredentials else {
            throw TransportError(
                .invalidAddress,
                "Could not use the address: it contains a user name or password; remove the part before '@'.")
        }
        guard let host = parts.host, !host.isEmpty, let port = parts.port, (1...65535).contains(port) else {
            throw TransportError(
                .invalidAddress, "Could not use the address: it has no host, or a port outside 1 to 65535.")
        }
        guard let url = parts.urlWithoutFragment else {
            throw TransportError(.invalidAddress, "Could not use the address: it is not a URL.")
        }
        self.url = url
        self.scheme = scheme
        self.host = host.lowercased()
        self.port = port
    }
}
