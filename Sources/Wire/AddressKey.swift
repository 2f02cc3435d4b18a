/// The address by which a client is counted: an IPv4 address, or an IPv6 /64.
///
/// Source: RFC 6177 §2: a site gets a /64 at least.
public struct AddressKey: Hashable, Sendable {
    private let bytes: [UInt8]

    /// Creates the key of an address; nil has a key of its own.
    public init(_ address: IPAddress?) {
        let all = address?.bytes ?? []
        bytes = all.count == 16 ? Array(all.prefix(8)) : all
    }
}
