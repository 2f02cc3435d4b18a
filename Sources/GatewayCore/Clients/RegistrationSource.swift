import HTTPMessages

/// Whose shares of the clients that nobody has used a registration takes: those of its address and networks. Registrations
/// that pages of other sites make a browser send have shares of their own, a quarter as large, so that such a page does
/// not keep programs at its visitor's address from registering.
struct RegistrationSource: Sendable {
    /// An address or a network as a range of stored addresses, and its part of the unused clients.
    struct Level: Sendable {
        let lower: [UInt8]
        let upper: [UInt8]
        private let key: AddressKey
        private let part: Int

        fileprivate init(_ key: AddressKey, isOfOtherPage: Bool) {
            let mark = isOfOtherPage ? [RegistrationSource.pageMark] : []
            (lower, upper) = (mark + key.bytes, mark + key.upperBytes)
            self.key = key
            part = isOfOtherPage ? 4 : 1
        }

        /// Returns the part of a number of unused clients.
        func share(of whole: Int) -> Int { key.share(of: max(1, whole / part)) }
    }

    /// The address, its /56 and its /48. An IPv4 address has only the first.
    let levels: [Level]

    /// The first byte of the stored addresses of pages. No sender has an address that begins with it.
    ///
    /// Source: RFC 4291 §2.7; RFC 1112 §4 and RFC 919 §7.
    private static let pageMark: UInt8 = 0xFF

    init(_ address: AddressKey, isOfOtherPage: Bool) {
        levels = address.all.map { Level($0, isOfOtherPage: isOfOtherPage) }
    }

    /// The address as it is stored.
    var stored: [UInt8] { levels[0].lower }
}
