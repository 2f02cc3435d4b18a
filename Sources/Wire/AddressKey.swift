/// The key by which clients are counted: an IPv4 address, or the /64 of an IPv6 address.
///
/// Source: RFC 6177 §2: a site gets a /64 at least.
public struct AddressKey: Hashable, Sendable {
    private let bytes: [UInt8]

    /// Makes the key of an address. All clients without an address share one key.
    public init(_ address: IPAddress?) {
        let all = address?.bytes ?? []
        bytes = all.count == 16 ? Array(all.prefix(8)) : all
    }
}
