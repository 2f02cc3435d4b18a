import HTTPMessages
import Primitives

/// The path of a request in the normal form that rules compare.
///
/// Escapes are decoded once; nothing else is changed. A path that two servers could read differently is refused. Such a
/// path contains an empty component before the last, `.` or `..`, also with spaces, an escaped slash, backslash, dot,
/// semicolon or control character, an escape of an escape, a raw backslash or semicolon, a byte outside visible ASCII, an invalid
/// escape, or text that is not UTF-8.
///
/// Source: RFC 3986 §3.3, §6.2.2.2 and §6.2.2.3.
package struct AccessPath: Sendable, Equatable {
    /// The decoded path. It begins with `/`, and every `/` in it separates two components.
    package let text: String
    /// Whether all servers read the same path. False when it contains an escaped `?` or `#`.
    let isCertain: Bool

    /// Parses an unmodified path without the query. Returns nil when servers could read it differently.
    package init?(_ raw: Substring) {
        guard raw.utf8.first == UInt8(ascii: "/"), Self.hasPlainComponents(raw.utf8) else { return nil }
        guard raw.utf8.contains(UInt8(ascii: "%")) else {
            text = String(raw)
            isCertain = true
            return
        }
        guard let decoded = Self.decode(raw.utf8) else { return nil }
        text = decoded
        isCertain = decoded.utf8.count == Self.cut(decoded).utf8.count
    }

    private init(certain text: String) {
        self.text = text
        isCertain = true
    }

    /// The path as read by a server that takes an escaped `?` or `#` for the end of the path. Nil when the path is
    /// certain.
    package var cut: AccessPath? { isCertain ? nil : AccessPath(certain: Self.cut(text)) }

    private static func cut(_ text: String) -> String { String(text.prefix(beforeBytes: "?#")) }

    /// Whether all bytes are allowed in a path, no component is `.` or `..`, and no component except the last is empty.
    private static func hasPlainComponents(_ bytes: Substring.UTF8View) -> Bool {
        var length = 0
        var dots = 0
        for byte in bytes.dropFirst() {
            if byte == UInt8(ascii: "/") {
                guard length > 0, dots != length || length > 2 else { return false }
                (length, dots) = (0, 0)
            } else {
                guard isAllowed(byte) else { return false }
                length += 1
                if byte == UInt8(ascii: ".") { dots += 1 }
            }
        }
        return length == 0 || dots != length || length > 2
    }

    /// Whether a byte is allowed: those of `pchar` without the semicolon, and three characters that browsers do not
    /// escape.
    private static func isAllowed(_ byte: UInt8) -> Bool {
        PercentEncoding.isUnreserved(byte) || "%!$&'()*+,=:@[]|".utf8.contains(byte)
    }

    /// Returns the decoded text; nil when an escape is invalid or hides a character that has a meaning in a path.
    private static func decode(_ bytes: Substring.UTF8View) -> String? {
        guard let decoded = PercentEncoding.decode(bytes) else { return nil }
        // These characters are not allowed unescaped, so they were escaped. Escaped dots and slashes are found in the
        // raw bytes.
        let hides = decoded.utf8.contains {
            $0 < 0x20 || $0 == 0x7F || $0 == UInt8(ascii: "\\") || $0 == UInt8(ascii: ";")
        }
        guard !hides, !hasEscapedPunctuation(bytes), !hasEscape(decoded) else { return nil }
        // Servers on Windows ignore spaces and dots at the end of a component.
        let hasSpaces = decoded.utf8.split(separator: UInt8(ascii: "/")).contains { component in
            component.contains(UInt8(ascii: " "))
                && component.allSatisfy { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: ".") }
        }
        return hasSpaces ? nil : decoded
    }

    /// Whether a dot or a slash is escaped.
    private static func hasEscapedPunctuation(_ bytes: Substring.UTF8View) -> Bool {
        var rest = bytes
        while let mark = rest.firstIndex(of: UInt8(ascii: "%")) {
            let digits = rest[rest.index(after: mark)...].prefix(2)
            if digits.first == UInt8(ascii: "2"), let low = digits.last, "eEfF".utf8.contains(low) { return true }
            rest = rest[rest.index(after: mark)...]
        }
        return false
    }

    /// Whether the decoded text contains an escape, which another parser might decode again.
    private static func hasEscape(_ decoded: String) -> Bool {
        var rest = decoded.utf8[...]
        while let mark = rest.firstIndex(of: UInt8(ascii: "%")) {
            rest = rest[rest.index(after: mark)...]
            if rest.prefix(2).count == 2, rest.prefix(2).allSatisfy({ Character(UnicodeScalar($0)).isHexDigit }) {
                return true
            }
        }
        return false
    }
}

/// The paths that a rule applies to: one path, or a path and everything below it.
package struct AccessPathPattern: Sendable, Equatable {
    /// The path without a trailing slash; empty for the root.
    private let path: String
    private let isTree: Bool

    /// Parses `/health`, which matches that path with or without a trailing slash, and `/share/*`, which matches
    /// `/share` and everything below it. Returns nil for anything else.
    package init?(_ text: String) {
        isTree = text.hasSuffix("/*")
        let trimmed = isTree ? text.dropLast(2) : text.count > 1 && text.hasSuffix("/") ? text.dropLast() : text[...]
        guard !trimmed.isEmpty || isTree else { return nil }
        if trimmed.isEmpty || trimmed == "/" {
            path = ""
            return
        }
        guard let read = AccessPath(trimmed), read.isCertain, !read.text.utf8.contains(UInt8(ascii: "*")) else {
            return nil
        }
        path = read.text
    }

    /// Whether the pattern matches a path.
    package func covers(_ path: AccessPath) -> Bool {
        let (text, own) = (path.text.utf8, self.path.utf8)
        guard text.starts(with: own) else { return false }
        let rest = text.dropFirst(own.count)
        guard let next = rest.first else { return true }
        return next == UInt8(ascii: "/") && (isTree || rest.count == 1)
    }
}
