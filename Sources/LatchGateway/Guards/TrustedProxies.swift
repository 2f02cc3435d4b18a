public import HTTPServer
public import Wire

/// The reverse proxies whose word about a client's address is believed.
///
/// Source: RFC 7239 §8.1 on why the left end of the list is anybody's invention; `X-Forwarded-For` is a convention.
public struct TrustedProxies: Sendable, Equatable {
    /// The networks that the proxies are in.
    public let networks: [IPNetwork]

    /// Makes the set; empty believes nobody who comes over TCP.
    public init(_ networks: [IPNetwork] = []) {
        self.networks = networks
    }

    /// The address of the client that a request comes from.
    ///
    /// Starts at the peer and goes through `X-Forwarded-For` from the right, as long as the address it stands at is a
    /// proxy's. An entry that is no address ends the walk, and what is left of it is not looked at. The peer of a Unix
    /// socket counts as a proxy: the socket's mode says who may connect.
    public func client(of request: ServerRequest) -> ClientAddress {
        var current = request.peer.ip
        guard isTrusted(current) else { return ClientAddress(current) }
        for entry in request.headers.values("X-Forwarded-For").reversed().flatMap(Self.entries).prefix(64) {
            guard isTrusted(current), let address = Self.address(entry) else { break }
            current = address
        }
        return ClientAddress(current)
    }

    /// Whether the peer itself is a proxy. Whoever may use a Unix socket is: the socket's mode says who that is.
    public func trusts(_ peer: PeerAddress) -> Bool {
        isTrusted(peer.ip)
    }

    private func isTrusted(_ address: IPAddress?) -> Bool {
        guard let address else { return true }
        return networks.contains { $0.contains(address) }
    }

    /// The entries of one field, the last one first.
    private static func entries(_ field: String) -> [Substring] {
        field.split(separator: ",", omittingEmptySubsequences: false).reversed()
    }

    /// Reads `192.0.2.1`, `192.0.2.1:443`, `2001:db8::1` and `[2001:db8::1]:443`.
    private static func address(_ entry: Substring) -> IPAddress? {
        let text = entry.trimmingWhitespace
        if let address = IPAddress(String(text)) { return address }
        if text.hasPrefix("["), let end = text.firstIndex(of: "]"), isPort(text[text.index(after: end)...]) {
            return IPAddress(String(text[text.index(after: text.startIndex)..<end]))
        }
        guard let colon = text.lastIndex(of: ":"), isPort(text[colon...]) else { return nil }
        return IPAddress(String(text[..<colon])).flatMap { $0.bytes.count == 4 ? $0 : nil }
    }

    private static func isPort(_ text: Substring) -> Bool {
        text.isEmpty || (text.first == ":" && UInt16(text.dropFirst()) != nil)
    }
}

extension Substring {
    /// Without spaces and tabs at the ends.
    fileprivate var trimmingWhitespace: Substring {
        let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        var text = drop(while: isBlank)
        while let last = text.last, isBlank(last) { text.removeLast() }
        return text
    }
}
