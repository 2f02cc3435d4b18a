/// The part of a client's address that limits count by: an IPv4 address, or an IPv6 network of 64, 56 or 48 bits.
///
/// One person with IPv6 has a /64, and many have a /56 or a /48, so a limit on each /64 alone would give them 256 or
/// 65,536 times the share of others. Every limit by address therefore counts ``wider`` networks too, each with
/// ``allowance`` times the limit of one address: more people may be in them.
///
/// Source: RFC 6177 §2; RIPE-690 §4.2, which recommends a /56 or a /48 for each customer.
package struct AddressKey: Hashable, Sendable {
    private let prefix: UInt64
    /// The length of the prefix: 64, 56 or 48 bits of an IPv6 address, 32 of an IPv4 address, 0 without an address.
    package let bits: UInt8

    /// Creates the narrowest key of an address: all of an IPv4 address, the /64 of an IPv6 address. All clients without
    /// an address share one key.
    package init(_ address: IPAddress?) {
        switch address?.family {
        case .v4: self.init(prefix: address?.low ?? 0, bits: 32)
        case .v6: self.init(prefix: address?.high ?? 0, bits: 64)
        case nil: self.init(prefix: 0, bits: 0)
        }
    }

    private init(prefix: UInt64, bits: UInt8) {
        self.prefix = prefix
        self.bits = bits
    }

    /// The next wider network that limits count too: the /56 of a /64, the /48 of a /56. Nil for all others.
    package var wider: AddressKey? {
        switch bits {
        case 64: AddressKey(prefix: prefix & ~0xFF, bits: 56)
        case 56: AddressKey(prefix: prefix & ~0xFFFF, bits: 48)
        default: nil
        }
    }

    /// The number of addresses whose limit a network has together: 1 for an address, 4 for a /56, 16 for a /48.
    package var allowance: Int {
        switch bits {
        case 56: 4
        case 48: 16
        default: 1
        }
    }

    /// Returns the part of a common supply that an address or a network may use: an eighth for an address, a quarter for
    /// a /56, half for a /48, and at least 1. So no site uses up what everybody shares.
    package func share(of whole: Int) -> Int {
        switch allowance {
        case 1: max(1, whole / 8)
        case 4: max(1, whole / 4)
        default: max(1, whole / 2)
        }
    }

    /// The widest network that limits count: the /48 of an IPv6 address, otherwise the key itself.
    package var widest: AddressKey { wider?.widest ?? self }

    /// Every key of the address that limits count, the narrowest first.
    package var all: [AddressKey] { [self] + (wider?.all ?? []) }

    /// The four bytes of an IPv4 address, the first eight, seven or six of an IPv6 address, or none. Keys of different
    /// lengths never have the same bytes.
    package var bytes: [UInt8] {
        let first = bits == 32 ? 32 : 0
        return stride(from: 0, to: Int(bits), by: 8).map { UInt8(truncatingIfNeeded: prefix >> (56 - first - $0)) }
    }

    /// The last eight bytes that an address of the network can have. With ``bytes`` it is a range in which a database finds
    /// the addresses of a /56 or /48 by an index.
    package var upperBytes: [UInt8] { bytes + [UInt8](repeating: 0xFF, count: max(0, 8 - bytes.count)) }
}
