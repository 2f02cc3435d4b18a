import HTTPMessages
package import HTTPServer
import Primitives
package import SignInBridge

/// Functions that read and write cookies.
///
/// Source: RFC 6265 §4.2.1 and §5.4.
package enum Cookies {
    /// Calls `body` with each cookie's name and value, in order, until it returns false. Nothing is copied.
    package static func forEach(in field: String, _ body: (Substring, Substring) -> Bool) {
        let bytes = field.utf8
        var start = bytes.startIndex
        while start < bytes.endIndex {
            let end = bytes[start...].firstIndex(of: UInt8(ascii: ";")) ?? bytes.endIndex
            let pair = bytes[start..<end].drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
            if let equals = pair.firstIndex(of: UInt8(ascii: "=")) {
                let value = Substring(pair[pair.index(after: equals)...])
                guard body(Substring(pair[..<equals]), value) else { return }
            }
            start = end < bytes.endIndex ? bytes.index(after: end) : end
        }
    }

    /// Returns the cookies of a request whose names begin with `prefix`, with the rest of each name.
    package static func of(_ request: ServerRequest, prefix: String) -> [(rest: String, value: String)] {
        var found: [(rest: String, value: String)] = []
        for field in request.headers.fields where HTTPHeaders.namesAreEqual(field.name, "cookie") {
            forEach(in: field.value) { name, value in
                if name.utf8.starts(with: prefix.utf8) {
                    found.append((String(name.utf8.dropFirst(prefix.utf8.count)) ?? "", String(value)))
                }
                return true
            }
        }
        return found
    }

    /// Returns the value of `Set-Cookie` for a cookie that scripts cannot read. The cookie is for the host of the
    /// response, or for all hosts of `domain`.
    ///
    /// The name prefix `__Host-` prevents other hosts of the domain from setting the cookie; it requires `Secure` and
    /// the path `/`. Browsers send a cookie with another path only below that path.
    ///
    /// Source: RFC 6265 §4.1; draft-ietf-httpbis-rfc6265bis §4.1.2.7 and §4.1.3.2.
    package static func set(
        _ name: String, _ value: String, maximumAge: Duration, sameSite: SameSite, isSecure: Bool,
        domain: String? = nil, path: String = "/"
    ) -> String {
        let age = Int64(maximumAge.seconds)
        // Browsers reject `SameSite=None` without `Secure`.
        let secure = isSecure || sameSite == .none ? "; Secure" : ""
        let place = "; Path=\(path)" + (domain.map { "; Domain=\($0)" } ?? "")
        return "\(name)=\(value)\(place); Max-Age=\(age); HttpOnly; SameSite=\(sameSite.rawValue)\(secure)"
    }
}
