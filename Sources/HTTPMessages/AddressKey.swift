/// The part of a client's address that identifies the client in limits: an IPv4 address, or the /64 prefix of an IPv6
/// address.
///
/// Source: RFC 6177 §2: a site gets at least a /64.
package struct AddressKey: Hashable, Sendable {
    /// The four bytes of an IPv4 address, the first eight of an IPv6 address, or none.
    package let bytes: [UInt8]

    /// Creates the key of an address. All clients without an address share one key.
    package init(_ address: IPAddress?) {
        let all = address?.bytes ?? []
        bytes = all.count == 16 ? Array(all.prefix(8)) : all
    }
}
