import Wire

/// Where a browser goes on to when its person has signed in: a path of this server, or an address on a host that somebody
/// vouches for.
///
/// Its path must be one that two servers cannot read differently, see ``AccessPath``. There is no other scheme, no user before
/// the host, no second slash at the start, no backslash, no control or foreign character.
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
    ///   - allowsHost: Whether the browser may go to a host by a scheme; nobody's unless told.
    /// - Returns: The address; nil when it leads elsewhere, or when browsers might not read it as one reads it here.
    static func check(_ text: String, allowsHost: (AccessHost, String) -> Bool = { _, _ in false }) -> ReturnAddress? {
        guard text.utf8.count <= maximumCount,
            text.utf8.allSatisfy({ $0 > 32 && $0 < 127 && $0 != UInt8(ascii: "\\") })
        else { return nil }
        if text.hasPrefix("/") { return isTarget(text[...]) ? ReturnAddress(text: text, origin: nil) : nil }
        return elsewhere(text, allowsHost)
    }

    private static func elsewhere(_ text: String, _ allowsHost: (AccessHost, String) -> Bool) -> ReturnAddress? {
        guard let scheme = ["https://", "http://"].first(where: { text.hasPrefix($0) }) else { return nil }
        let authority = text.dropFirst(scheme.utf8.count).prefix { !"/?#".contains($0) }
        let target = text.dropFirst(scheme.utf8.count + authority.utf8.count)
        guard target.isEmpty || isTarget(target), let host = AccessHost(authority), host.description == authority,
            host == host.withoutPort(of: String(scheme.dropLast(3))), allowsHost(host, String(scheme.dropLast(3)))
        else { return nil }
        return ReturnAddress(text: text, origin: scheme + authority)
    }

    /// Whether a text is one plain path with whatever query and fragment.
    private static func isTarget(_ text: Substring) -> Bool {
        AccessPath(text.prefix { $0 != "?" && $0 != "#" }) != nil
    }
}
