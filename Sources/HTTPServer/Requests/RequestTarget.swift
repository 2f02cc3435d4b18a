import HTTPMessages

/// The target of a request, parsed and checked but not normalised.
///
/// `*` is accepted only for `OPTIONS`. The absolute form is read as its path, and its authority must equal that in
/// `Host`. Refused with 400 are:
/// - a target without a leading `/` (after the authority of an absolute form);
/// - an empty component other than the last, and `.` and `..`, also when encoded;
/// - an invalid escape, an encoded NUL and encoded bytes that are not UTF-8;
/// - a fragment, and raw bytes other than visible ASCII characters;
/// - a query that is not a form.
///
/// Source: RFC 9112 §3.2, RFC 3986 §3.3.
struct RequestTarget {
    let path: String
    let query: String?
    /// The authority of an absolute form. Nil for other forms.
    let authority: String?

    static let asterisk = RequestTarget(path: "*", query: nil, authority: nil)

    private init(path: String, query: String?, authority: String?) {
        self.path = path
        self.query = query
        self.authority = authority
    }

    init(_ raw: String, method: HTTPMethod) throws(Refusal) {
        guard !Self.isPlainPath(raw) else {
            self.init(path: raw, query: nil, authority: nil)
            return
        }
        if raw == "*" {
            guard method == .options else { throw .bad("The request target * is allowed only for OPTIONS.") }
            self = .asterisk
            return
        }
        var bytes = raw.utf8[...]
        guard bytes.allSatisfy({ $0 > 32 && $0 < 127 && $0 != UInt8(ascii: "#") }) else {
            throw .bad("The request target contains an invalid character.")
        }
        let authority = try Self.takeAuthority(&bytes)
        var query: String?
        if let mark = bytes.firstIndex(of: UInt8(ascii: "?")) {
            let text = bytes[bytes.index(after: mark)...]
            guard (try? FormURLEncoded.decode(text)) != nil else { throw .bad("The query is malformed.") }
            query = String(Substring(text))
            bytes = bytes[..<mark]
        }
        try Self.check(path: bytes)
        self.init(path: String(Substring(bytes)), query: query, authority: authority)
    }

    /// Returns whether a target is a path that needs no further checks, as nearly every target is: letters, digits,
    /// `-`, `_`, `~` and single slashes.
    private static func isPlainPath(_ raw: String) -> Bool {
        var raw = raw
        return raw.withUTF8 { bytes in
            guard bytes.first == UInt8(ascii: "/") else { return false }
            var previous = UInt8(ascii: " ")
            for byte in bytes {
                let isSlash = byte == UInt8(ascii: "/")
                // A dot or an escape may belong to a dot component, which only the complete checks detect.
                guard isSlash && previous != byte || !isSlash && byte != UInt8(ascii: ".") && isUnreserved(byte) else {
                    return false
                }
                previous = byte
            }
            return true
        }
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "~"):
            true
        default: false
        }
    }

    /// Returns the decoded components of a path that has passed the checks.
    static func components(of path: String) -> [String] {
        path.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map { part in
            part.contains(UInt8(ascii: "%")) ? PercentEncoding.decode(part) ?? "" : String(Substring(part))
        }
    }

    private static func takeAuthority(_ bytes: inout Substring.UTF8View) throws(Refusal) -> String? {
        guard bytes.first != UInt8(ascii: "/") else { return nil }
        let schemes = ["http://", "https://"]
        guard
            let scheme = schemes.first(where: { scheme in
                HTTPHeaders.namesAreEqual(String(Substring(bytes.prefix(scheme.utf8.count))), scheme)
            })
        else { throw .bad("The request target must be a path with a leading slash or an http URL.") }
        let rest = bytes.dropFirst(scheme.utf8.count)
        let authority = rest.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
        bytes = rest.dropFirst(authority.count)
        guard !authority.isEmpty, bytes.first == UInt8(ascii: "/") else {
            throw .bad("The URL in the request target must have a host and a path.")
        }
        return String(Substring(authority))
    }

    private static func check(path: Substring.UTF8View) throws(Refusal) {
        guard path.first == UInt8(ascii: "/") else { throw .bad("The path must begin with a slash.") }
        // Only the last component may be empty: a trailing slash makes a different path.
        let parts = path.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.dropLast().allSatisfy({ !$0.isEmpty }) else { throw .bad("The path contains an empty component.") }
        try checkComponents(path)
    }

    private static func checkComponents(_ path: Substring.UTF8View) throws(Refusal) {
        for part in path.split(separator: UInt8(ascii: "/")) {
            guard let component = PercentEncoding.decode(part) else { throw .bad("The path's escapes are invalid.") }
            guard component != ".", component != ".." else { throw .bad("The path contains a dot component.") }
        }
    }
}
