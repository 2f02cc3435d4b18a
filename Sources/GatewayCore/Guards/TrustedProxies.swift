package import HTTPMessages
import Primitives

/// The reverse proxies whose header fields about the original request are trusted.
///
/// Source: RFC 7239 §8.1: clients can forge the left end of the list. `X-Forwarded-For` is a convention without a
/// standard.
package struct TrustedProxies: Sendable, Equatable {
    /// The networks of the proxies.
    package let networks: [IPNetwork]

    /// Creates a set of proxies. When it is empty, no peer over TCP is trusted.
    package init(_ networks: [IPNetwork] = []) {
        self.networks = networks
    }

    /// Returns the address of the client behind the proxies.
    ///
    /// The search starts at the peer and goes through the fields from the right, as long as the current address belongs
    /// to a proxy. It ends at an entry that is not an address, and the entries to the left of it are ignored: the proxy
    /// that added the entry is then the nearest known address. A client cannot make such an entry, because entries are
    /// separated byte by byte, and a proxy writes the address of its peer into an entry of its own.
    ///
    /// - Parameters:
    ///   - peer: The address that the connection comes from. Nil for a Unix socket.
    ///   - fields: The values of `X-Forwarded-For`, in their order.
    /// - Returns: The address of the client.
    package func client(behind peer: IPAddress?, forwardedFor fields: [String]) -> ClientAddress {
        var current = peer
        guard trusts(current) else { return ClientAddress(current) }
        for entry in fields.reversed().flatMap(Self.entries).prefix(64) {
            guard trusts(current), let address = Self.address(entry) else { break }
            current = address
        }
        return ClientAddress(current)
    }

    /// Whether an address is that of a proxy. Always true for nil, the peer of a Unix socket, because the mode of the
    /// socket controls who may connect.
    package func trusts(_ address: IPAddress?) -> Bool {
        guard let address else { return true }
        return networks.contains { $0.contains(address) }
    }

    /// Returns the entries of one field, the last one first.
    private static func entries(_ field: String) -> [Substring] {
        field.split(atByte: ",", omittingEmptySubsequences: false).reversed()
    }

    /// Parses `192.0.2.1`, `192.0.2.1:443`, `2001:db8::1` and `[2001:db8::1]:443`.
    private static func address(_ entry: Substring) -> IPAddress? {
        let text = entry.trimmingBlanks
        // In ASCII, each byte is a character.
        guard text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        if let address = IPAddress(String(text)) { return address }
        if text.hasPrefix("["), let end = text.firstIndex(of: "]"), isPort(text[text.index(after: end)...]) {
            return IPAddress(String(text[text.index(after: text.startIndex)..<end]))
        }
        guard let colon = text.lastIndex(of: ":"), isPort(text[colon...]) else { return nil }
        // Only IPv4: without brackets, the port of an IPv6 address would look like its last group.
        return IPAddress(String(text[..<colon])).flatMap { $0.bytes.count == 4 ? $0 : nil }
    }

    private static func isPort(_ text: Substring) -> Bool {
        text.isEmpty || (text.first == ":" && UInt16(text.dropFirst()) != nil)
    }
}
