import CCurl

/// The parts of an address, as libcurl reads them.
///
/// Source: libcurl-url(3).
struct AddressParts: ~Copyable {
    private let pointer = curl_url()

    deinit { curl_url_cleanup(pointer) }

    /// The scheme in lower case.
    var scheme: String? { part(CURLUPART_SCHEME) }
    /// Whether there is a user name or password.
    var hasCredentials: Bool { part(CURLUPART_USER) != nil || part(CURLUPART_PASSWORD) != nil }
    /// The host. An IPv6 address is in brackets.
    var host: String? { part(CURLUPART_HOST) }
    /// The port, or the default port of the scheme.
    var port: Int? { part(CURLUPART_PORT, UInt32(CURLU_DEFAULT_PORT)).flatMap { Int($0) } }
    /// The complete address without its fragment.
    var urlWithoutFragment: String? {
        _ = set(CURLUPART_FRAGMENT, nil)
        return part(CURLUPART_URL)
    }

    /// Replaces the address. Returns false when `text` is not a URL.
    func parse(_ text: String) -> Bool { set(CURLUPART_URL, text) }

    /// Replaces the address by what `location` refers to, seen from it. Spaces are encoded, and any scheme is accepted.
    /// Returns false when the result is not a URL.
    func resolve(_ location: String) -> Bool {
        set(CURLUPART_URL, location, flags: UInt32(CURLU_URLENCODE | CURLU_NON_SUPPORT_SCHEME))
    }

    private func set(_ part: CURLUPart, _ value: String?, flags: UInt32 = 0) -> Bool {
        curl_url_set(pointer, part, value, flags) == CURLUE_OK
    }

    private func part(_ part: CURLUPart, _ flags: UInt32 = 0) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard curl_url_get(pointer, part, &text, flags) == CURLUE_OK, let text else { return nil }
        defer { curl_free(text) }
        return String(cString: text)
    }
}
