import CCurl

/// An `http` or `https` address, taken apart and put together again by the library that will use it.
struct RequestAddress: Sendable, Equatable {
    /// The whole address without its fragment.
    let url: String
    /// `http` or `https`.
    let scheme: String
    /// The host as written, lower-cased; an IPv6 address in brackets.
    let host: String
    /// The port, the scheme's own if none is written.
    let port: Int

    /// Scheme, host and port, the port only if it is not the scheme's own: what messages name.
    var origin: String {
        let usual = scheme == "https" ? 443 : 80
        return port == usual ? "\(scheme)://\(host)" : "\(scheme)://\(host):\(port)"
    }

    /// Whether both have one scheme, host and port.
    ///
    /// Source: RFC 6454 §5.
    func hasSameOrigin(as other: RequestAddress) -> Bool {
        scheme == other.scheme && host == other.host && port == other.port
    }

    /// Takes `text` apart.
    init(parsing text: String) throws(TransportError) {
        guard !text.utf8.contains(where: { $0 <= 32 || $0 == 127 }) else {
            throw TransportError(
                .invalidAddress, "Could not use the address: it holds a blank or a control character; remove it.")
        }
        let handle = AddressHandle()
        // Curl takes one to three slashes for two.
        guard Self.hasPlainStart(text), handle.set(CURLUPART_URL, text) == CURLUE_OK else {
            throw TransportError(
                .invalidAddress,
                "Could not use the address: it is no URL; write it as 'https://host' or 'https://host:port'.")
        }
        try self.init(handle)
    }

    /// Looks at bytes, as curl does: a mark that combines makes another character of the slash before it.
    private static func hasPlainStart(_ text: String) -> Bool {
        let rest = text.utf8.drop { $0 != UInt8(ascii: ":") }
        return rest.starts(with: "://".utf8) && !rest.starts(with: ":///".utf8)
    }

    /// What `location` means when this address answered with it; blanks in it are encoded.
    ///
    /// Source: RFC 9110 §10.2.2, RFC 3986 §5.2.
    func resolving(_ location: String) throws(TransportError) -> RequestAddress {
        let handle = AddressHandle()
        guard handle.set(CURLUPART_URL, url) == CURLUE_OK,
            handle.set(CURLUPART_URL, location, UInt32(CURLU_URLENCODE | CURLU_NON_SUPPORT_SCHEME)) == CURLUE_OK
        else {
            throw TransportError(
                .redirectRefused,
                "Could not follow the redirect of '\(origin)': its target is no URL; tell the server's operator.")
        }
        if let scheme = handle.part(CURLUPART_SCHEME), scheme != "http", scheme != "https" {
            throw TransportError(
                .redirectRefused,
                "Did not follow the redirect of '\(origin)': it leads out of the web, to the scheme '\(scheme)'.")
        }
        do {
            return try RequestAddress(handle)
        } catch {
            throw TransportError(
                .redirectRefused,
                "Did not follow the redirect of '\(origin)': its target carries a user name or password, or has no host or port "
                    + "that can be; tell the server's operator.", cause: error)
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
                "Could not use the address: it carries a user name or password; remove what stands before '@'.")
        }
        guard let host = handle.part(CURLUPART_HOST), !host.isEmpty,
            let port = handle.part(CURLUPART_PORT, UInt32(CURLU_DEFAULT_PORT)).flatMap({ Int($0) }),
            (1...65535).contains(port)
        else {
            throw TransportError(
                .invalidAddress, "Could not use the address: it names no host, or a port outside 1 to 65535.")
        }
        _ = handle.set(CURLUPART_FRAGMENT, nil)
        guard let url = handle.part(CURLUPART_URL) else {
            throw TransportError(.invalidAddress, "Could not use the address: it is no URL.")
        }
        self.url = url
        self.scheme = scheme
        self.host = host.lowercased()
        self.port = port
    }
}

/// A `CURLU`, released with its owner.
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
