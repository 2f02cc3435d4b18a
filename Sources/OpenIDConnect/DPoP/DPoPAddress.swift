import HTTPMessages

/// The address of a request without query and fragment, in a form in which equal addresses have equal texts.
///
/// Scheme and host are in lower case, the default port is left out, an empty path is `/`, and escapes are in upper case
/// or decoded if they stand for unreserved characters.
///
/// Source: RFC 9449 §4.3, check 9; RFC 3986 §6.2.2 and §6.2.3.
package struct DPoPAddress: Sendable, Hashable {
    /// The normalized address.
    package let text: String

    /// The maximum length of an address, in bytes.
    private static let maximumCount = 2_048

    /// Normalizes an address. Nil for text that is not an absolute `http` or `https` address of printable ASCII, that has
    /// a user name, or that is longer than 2,048 bytes.
    package init?(_ text: String) {
        guard text.utf8.count <= Self.maximumCount, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            return nil
        }
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[1].hasPrefix("//") else { return nil }
        let scheme = parts[0].lowercased()
        guard scheme == "https" || scheme == "http" else { return nil }
        let rest = parts[1].dropFirst(2).prefix { $0 != "?" && $0 != "#" }
        var authority = rest.prefix { $0 != "/" }.lowercased()[...]
        let path = rest.dropFirst(authority.utf8.count)
        guard !authority.contains("@") else { return nil }
        let port = scheme == "https" ? ":443" : ":80"
        for suffix in [port, ":"] where authority.hasSuffix(suffix) {
            authority = authority.dropLast(suffix.utf8.count)
        }
        guard !authority.isEmpty, authority.first != ":" else { return nil }
        self.text = "\(scheme)://\(authority)" + (path.isEmpty ? "/" : Self.normalized(path))
    }

    private static func normalized(_ path: Substring) -> String {
        guard path.utf8.contains(UInt8(ascii: "%")) else { return String(path) }
        let bytes = Array(path.utf8)
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            guard bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count,
                let value = UInt8(String(decoding: bytes[(index + 1)...(index + 2)], as: UTF8.self), radix: 16)
            else {
                result.append(bytes[index])
                index += 1
                continue
            }
            if PercentEncoding.isUnreserved(value) {
                result.append(value)
            } else {
                result += Array(String(decoding: bytes[index...(index + 2)], as: UTF8.self).uppercased().utf8)
            }
            index += 3
        }
        return String(decoding: result, as: UTF8.self)
    }
}
