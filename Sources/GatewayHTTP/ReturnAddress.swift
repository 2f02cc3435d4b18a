package import GatewayCore
import HTTPMessages

/// The address where a browser continues after its person has signed in: a path of this server, or an address on an
/// allowed host.
///
/// Two servers must not be able to read its path differently; see ``AccessPath``. It has no scheme other than `http`
/// and `https` and no user before the host. A second slash at the start, backslashes, control characters and non-ASCII
/// characters are not allowed.
///
/// Source: RFC 9700 §4.11.1, against open redirectors; URL Standard §4.4 for what browsers take for a slash.
package struct ReturnAddress: Sendable, Equatable {
    /// The address in a form that is valid in `Location`.
    package let text: String
    /// The origin as browsers write it, for an address on another host. Nil for a path of this server.
    package let origin: String?

    /// The maximum length of an address, in bytes.
    package static let maximumCount = 1_024

    /// Checks an address from a request.
    ///
    /// - Parameters:
    ///   - text: The address.
    ///   - allowsHost: Whether the browser may be sent to a host with a scheme. Default: no host is allowed.
    /// - Returns: The address. Nil when it leads to a host that is not allowed, or when browsers might read it
    ///   differently from this server.
    package static func check(_ text: String, allowsHost: (AccessHost, String) -> Bool = { _, _ in false })
        -> ReturnAddress?
    {
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

    /// Whether a text is a plain path, with any query and fragment.
    private static func isTarget(_ text: Substring) -> Bool {
        AccessPath(text.prefix { $0 != "?" && $0 != "#" }) != nil
    }
}
