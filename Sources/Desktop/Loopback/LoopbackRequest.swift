/// The head of a browser's request, limited to what a loopback redirect needs.
///
/// Source: RFC 9112 §3 and §5.
package struct LoopbackRequest: Sendable, Equatable {
    /// The maximum length of a head, in bytes.
    static let longestHead = 32_768

    /// The path and query, unchanged.
    package let target: String
    /// The value of the `Host` field.
    package let host: String

    /// The path without the query.
    package var path: String { String(target.prefix { $0 != "?" }) }

    /// The error code that the browser brought instead of an authorization code. Nil when there is no error.
    ///
    /// Source: RFC 6749 §4.1.2.1.
    package var error: String? {
        let query = target.drop { $0 != "?" }.dropFirst()
        return query.split(separator: "&").first { $0.hasPrefix("error=") }.map { String($0.dropFirst("error=".count)) }
    }

    /// Parses a head. Returns nil unless it is a complete HTTP/1 `GET` in visible ASCII with exactly one `Host` field.
    package init?(_ bytes: [UInt8]) {
        guard Self.isWhole(bytes) else { return nil }
        let lines = bytes.split(separator: UInt8(ascii: "\n")).map {
            $0.last == UInt8(ascii: "\r") ? $0.dropLast() : $0
        }
        let words = (lines.first ?? []).split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard words.count == 3, words[0].elementsEqual("GET".utf8), words[2].starts(with: "HTTP/1.".utf8),
            words[1].first == UInt8(ascii: "/"), words[1].allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else { return nil }
        let hosts = lines.dropFirst().compactMap { line -> String? in
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")),
                String(decoding: line[..<colon], as: UTF8.self).lowercased() == "host"
            else { return nil }
            let value = line[(colon + 1)...].drop { $0 == 0x20 || $0 == 9 }
            return String(decoding: value, as: UTF8.self)
        }
        guard hosts.count == 1, hosts[0].utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
        target = String(decoding: words[1], as: UTF8.self)
        host = hosts[0]
    }

    /// Whether the bytes contain the empty line that ends the head.
    static func isWhole(_ bytes: [UInt8]) -> Bool {
        bytes.firstRange(of: Array("\r\n\r\n".utf8)) != nil
    }
}
