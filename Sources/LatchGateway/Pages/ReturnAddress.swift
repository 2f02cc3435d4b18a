import Wire

/// Where a browser goes on to when its person has signed in: a path of this server, or an address on a host that somebody
/// vouches for.
///
/// Source: RFC 9700 §4.11.1, against open redirectors; URL Standard §4.4 for what browsers take for a slash.
struct ReturnAddress: Sendable, Equatable {
    /// The address as it may stand in `Location`.
    let text: String
    /// The origin as browsers write it, for an address on another host; nil for a path of this server.
    let origin: String?

    /// The longest address.
    static let maximumCount = 1_024

    /// Takes an address that a request names.
    ///
    /// - Parameters:
    ///   - text: The address.
    ///   - allowsHost: Whether the browser may go to a host, which is a name in lower case without a port.
    /// - Returns: The address; nil when it leads elsewhere, or when browsers might not read it as one reads it here.
    static func check(_ text: String, allowsHost: (String) -> Bool = { _ in false }) -> ReturnAddress? {
        guard text.utf8.count <= maximumCount,
            text.utf8.allSatisfy({ $0 > 32 && $0 < 127 && $0 != UInt8(ascii: "\\") })
        else { return nil }
        if text.hasPrefix("/") { return isLocal(text) ? ReturnAddress(text: text, origin: nil) : nil }
        return elsewhere(text, allowsHost)
    }

    /// Whether a text that begins with a slash is a path of this server in the one way that every browser reads as one.
    private static func isLocal(_ text: String) -> Bool {
        let path = text.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        return !zip(path, path.dropFirst()).contains { $0 == UInt8(ascii: "/") && $1 == UInt8(ascii: "/") }
    }

    private static func elsewhere(_ text: String, _ allowsHost: (String) -> Bool) -> ReturnAddress? {
        guard let scheme = ["https://", "http://"].first(where: { text.hasPrefix($0) }) else { return nil }
        let authority = text.dropFirst(scheme.utf8.count).prefix { !"/?#".contains($0) }
        let parts = authority.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard let name = parts.first.map(String.init), isHost(name), allowsHost(name) else { return nil }
        if parts.count == 2 {
            guard let port = UInt16(parts[1]), port > 0, String(port) == parts[1] else { return nil }
        }
        return ReturnAddress(text: text, origin: scheme + authority)
    }

    /// Labels of lower-case letters, digits and hyphens; whatever else a URL may have there is not needed.
    private static func isHost(_ name: String) -> Bool {
        !name.isEmpty && !name.hasPrefix(".") && !name.contains("..")
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
                    UInt8(ascii: "."):
                    true
                default: false
                }
            }
    }
}
