import CCurl

/// An `http` or `https` address. It is parsed and assembled by curl, which also uses it.
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
        let handle = AddressHandle()
        // Checked here, because curl accepts one to three slashes in place of two.
        guard Self.hasPlainStart(text), handle.set(CURLUPART_URL, text) == CURLUE_OK else {
            throw TransportError(
                .invalidAddress,
                "Could not use the address: it is not a URL; write it as 'https://host' or 'https://host:port'.")
        }
        try self.init(handle)
    }

    /// Returns whether the text has `://` after the scheme. Compares bytes, as curl does, because a combining mark
    /// after a slash forms another character with it.
    private static func hasPlainStart(_ text: String) -> Bool {
        let rest = text.utf8.drop { $0 != UInt8(ascii: ":") }
        return rest.starts(with: "://".utf8) && !rest.starts(with: ":///".utf8)
    }

    /// Returns the address that a `Location` field of a response from this address refers to. Spaces in it are encoded.
    ///
    /// Source: RFC 9110 §10.2.2, RFC 3986 §5.2.
    func resolving(_ location: String) throws(TransportError) -> RequestAddress {
        let handle = AddressHandle()
        guard handle.set(CURLUPART_URL, url) == CURLUE_OK,
            handle.set(CURLUPART_URL, location, UInt32(CURLU_URLENCODE | CURLU_NON_SUPPORT_SCHEME)) == CURLUE_OK
        else {
            throw TransportError(
                .redirectRefused,
                "Could not follow the redirect of '\(origin)': its target is not a URL; report this to its operator.")
        }
        if let scheme = handle.part(CURLUPART_SCHEME), scheme != "http", scheme != "https" {
            throw TransportError(
                .redirectRefused,
                "Did not follow the redirect of '\(origin)': its target has the unsupported scheme '\(scheme)'.")
        }
        do {
            return try RequestAddress(handle)
        } catch {
            throw TransportError(
                .redirectRefused,
                "Did not follow the redirect of '\(origin)': its target contains a user name or password, or has an "
                    + "invalid host or port; report this to the server's operator.", cause: error)
        }
    }

    private init(_ handle: borrowing AddressHandle) throws(TransportError) {
        guard let scheme = handle.part(CURLUPART_SCHEME), scheme == "http" || scheme == "https" else {
            throw TransportError(
                .invalidAddress, "Could not use the address: it must begin with 'https://' or 'http://'.")
        }
        guard handle.part(CURLUPART_USER) == nil, handle.part(CURLUPART_PASSWORD) == nil else {
            throw TransportError(
                .invalidAddress,
                "Could not use the address: it contains a user name or password; remove the part before '@'.")
        }
        guard let host = handle.part(CURLUPART_HOST), !host.isEmpty,
            let port = handle.part(CURLUPART_PORT, UInt32(CURLU_DEFAULT_PORT)).flatMap({ Int($0) }),
            (1...65535).contains(port)
        else {
            throw TransportError(
                .invalidAddress, "Could not use the address: it has no host, or a port outside 1 to 65535.")
        }
        _ = handle.set(CURLUPART_FRAGMENT, nil)
        guard let url = handle.part(CURLUPART_URL) else {
            throw TransportError(.invalidAddress, "Could not use the address: it is not a URL.")
        }
        self.url = url
        self.scheme = scheme
        self.host = host.lowercased()
        self.port = port
    }
}

/// A `CURLU` that is released when the value goes out of scope.
private struct AddressHandle: ~Copyable {
    private let pointer = curl_url()

    deinit { curl_url_cleanup(pointer) }

    borrowing func set(_ part: CURLUPart, _ value: String?, _ flags: UInt32 = 0) -> CURLUcode {
        curl_url_set(pointer, part, value, flags)
    }

    borrowing func part(_ part: CURLUPart, _ flags: UInt32 = 0) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard curl_url_get(pointer, part, &text, flags) == CURLUE_OK, let text else { return nil }
        defer { curl_free(text) }
        return String(cString: text)
    }
}
