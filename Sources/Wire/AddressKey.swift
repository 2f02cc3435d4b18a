/// What a client is counted by: an IPv4 address, or an IPv6 /64.
///
/// Source: RFC 6177 §2: a site gets a /64 at least.
public struct AddressKey: Hashable, Sendable {
    private let bytes: [UInt8]

    /// Makes the key of an address; nil is a key of its own.
    public init(_ address: IPAddress?) {
        let all = address?.bytes ?? []
        bytes = all.count == 16 ? Array(all.prefix(8)) : all
    }
}
