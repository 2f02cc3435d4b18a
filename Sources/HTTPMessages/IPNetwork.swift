/// A range of addresses in CIDR notation: `10.0.0.0/8`, `2001:db8::/32`, or a single address.
///
/// The bits after the prefix must be zero, so that a mistake such as `10.0.0.1/8` is detected and does not allow more
/// addresses than intended.
///
/// Source: RFC 4632 §3.1, RFC 4291 §2.3.
package struct IPNetwork: Hashable, Sendable, CustomStringConvertible {
    /// The lowest address of the network.
    package let address: IPAddress
    /// The number of leading bits that all addresses share: 0 to 32 for IPv4, 0 to 128 for IPv6.
    package let prefixLength: Int

    /// Creates a network. Returns nil when the length does not fit the family, or when bits after the prefix are set.
    package init?(address: IPAddress, prefixLength: Int) {
        guard (0...address.family.bitCount).contains(prefixLength),
            Self.masked(address, prefixLength) == Self.masked(address, address.family.bitCount)
        else { return nil }
        self.address = address
        self.prefixLength = prefixLength
    }

    /// Creates the network of a length that an address is in. Returns nil when the length does not fit the family.
    package init?(of address: IPAddress, prefixLength: Int) {
        guard (0...address.family.bitCount).contains(prefixLength) else { return nil }
        let kept = address.bytes.enumerated().map { index, byte in
            byte & UInt8(truncatingIfNeeded: 0xFF00 >> min(8, max(0, prefixLength - index * 8)))
        }
        guard let first = IPAddress(bytes: kept) else { return nil }
        self.init(address: first, prefixLength: prefixLength)
    }

    /// Whether the networks have an address in common.
    package func overlaps(_ other: IPNetwork) -> Bool { contains(other.address) || other.contains(address) }

    /// Creates a network from `address/length`, or from an address alone, which is a network of one address.
    package init?(_ text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.count <= 2, let first = parts.first,
            let address = IPAddress(String(decoding: first, as: UTF8.self))
        else { return nil }
        guard parts.count == 2 else {
            self.init(address: address, prefixLength: address.family.bitCount)
            return
        }
        guard let length = IPAddress.decimal(ArraySlice(parts[1]), maximum: address.family.bitCount) else { return nil }
        self.init(address: address, prefixLength: length)
    }

    /// Returns whether `candidate` is in the network. An address of the other family never is.
    package func contains(_ candidate: IPAddress) -> Bool {
        candidate.family == address.family
            && Self.masked(candidate, prefixLength) == Self.masked(address, prefixLength)
    }

    /// The canonical text of the network, always with the prefix length.
    package var description: String { "\(address)/\(prefixLength)" }

    private static func masked(_ address: IPAddress, _ prefixLength: Int) -> [UInt64] {
        switch address.family {
        case .v4: [address.low & (~0 << UInt64(32 - prefixLength)) & 0xFFFF_FFFF]
        case .v6:
            [
                address.high & mask(Swift.min(prefixLength, 64)),
                address.low & mask(Swift.max(prefixLength - 64, 0)),
            ]
        }
    }

    private static func mask(_ bits: Int) -> UInt64 {
        bits == 0 ? 0 : ~0 << UInt64(64 - bits)
    }
}
