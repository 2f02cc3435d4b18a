import FoundationEssentials
import HTTPMessages

/// The security properties of a provider's URL: its scheme, host and query.
struct WebAddress: Sendable {
    let isSecure: Bool
    let isLoopback: Bool
    let hasQuery: Bool

    /// Parses an absolute `http` or `https` URL without user name, password and fragment. Nil for any other text.
    init?(_ text: String) {
        guard text.utf8.count <= 2048, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            let parts = URLComponents(string: text), let scheme = parts.scheme?.lowercased(),
            ["http", "https"].contains(scheme), let host = parts.host, !host.isEmpty, parts.user == nil,
            parts.password == nil, parts.fragment == nil
        else { return nil }
        isSecure = scheme == "https"
        isLoopback = Self.isLoopback(host.lowercased())
        hasQuery = parts.query != nil
    }

    /// Source: RFC 8252 §8.3; RFC 6761 §6.3 for `localhost`.
    private static func isLoopback(_ host: String) -> Bool {
        if host == "localhost" { return true }
        guard let address = IPAddress(host.trimmingBrackets) else { return false }
        return loopback.contains { $0.contains(address) }
    }

    private static let loopback = ["127.0.0.0/8", "::1/128"].compactMap { IPNetwork($0) }
}

extension String {
    fileprivate var trimmingBrackets: String {
        hasPrefix("[") && hasSuffix("]") ? String(dropFirst().dropLast()) : self
    }
}
