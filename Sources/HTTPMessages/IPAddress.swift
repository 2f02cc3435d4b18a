/// An IPv4 or IPv6 address, without port or zone.
///
/// An IPv4 address mapped into IPv6 (`::ffff:192.0.2.1`) is stored as the IPv4 address. Limits and networks then see
/// the same address however the client connected. The text is canonical: RFC 5952 for IPv6.
///
/// Source: RFC 791 §2.3, RFC 4291 §2.2, RFC 5952 §4.
package struct IPAddress: Hashable, Sendable, CustomStringConvertible {
    /// The family of an address.
    package enum Family: Hashable, Sendable {
        /// IPv4, 32 bits.
        case v4
        /// IPv6, 128 bits.
        case v6

        /// The number of bits of an address: 32 or 128.
        var bitCount: Int { self == .v4 ? 32 : 128 }
    }

    /// The family of the address.
    package let family: Family
    let high: UInt64
    let low: UInt64

    /// Creates an address from 4 or 16 bytes in network order. Returns nil for any other number of bytes.
    package init?(bytes: some Collection<UInt8>) {
        switch bytes.count {
        case 4:
            self.init(v4: bytes.reduce(0) { $0 << 8 | UInt32($1) })
        case 16:
            let high = bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
            let low = bytes.dropFirst(8).reduce(0) { $0 << 8 | UInt64($1) }
            self.init(high: high, low: low)
        default:
            return nil
        }
    }

    /// Creates an address from text: dotted decimal without leading zeros, or IPv6 text without brackets or zone.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        if bytes.contains(UInt8(ascii: ":")) {
            guard let groups = Self.groups(bytes) else { return nil }
            let words = groups.map(UInt64.init)
            self.init(
                high: words[0] << 48 | words[1] << 32 | words[2] << 16 | words[3],
                low: words[4] << 48 | words[5] << 32 | words[6] << 16 | words[7])
        } else {
            guard let value = Self.dotted(bytes[...]) else { return nil }
            self.init(v4: value)
        }
    }

    private init(v4 value: UInt32) {
        self.init(family: .v4, high: 0, low: UInt64(value))
    }

    private init(high: UInt64, low: UInt64) {
        let isMapped = high == 0 && low >> 32 == 0xFFFF
        self.init(family: isMapped ? .v4 : .v6, high: high, low: isMapped ? low & 0xFFFF_FFFF : low)
    }

    private init(family: Family, high: UInt64, low: UInt64) {
        self.family = family
        self.high = high
        self.low = low
    }

    /// The 4 or 16 bytes of the address, in network order.
    package var bytes: [UInt8] {
        switch family {
        case .v4: (0..<4).map { UInt8(truncatingIfNeeded: low >> (24 - 8 * $0)) }
        case .v6:
            (0..<16).map { UInt8(truncatingIfNeeded: ($0 < 8 ? high : low) >> (56 - 8 * ($0 % 8))) }
        }
    }

    /// Whether the address is a loopback address: in `127.0.0.0/8`, or `::1`.
    package var isLoopback: Bool {
        family == .v4 ? low >> 24 == 127 : high == 0 && low == 1
    }

    /// The canonical text of the address.
    package var description: String {
        family == .v4 ? bytes.map(String.init).joined(separator: ".") : Self.text(ofGroups: groups)
    }

    private var groups: [UInt16] {
        (0..<8).map { UInt16(truncatingIfNeeded: ($0 < 4 ? high : low) >> (48 - 16 * ($0 % 4))) }
    }
}

extension IPAddress {
    /// Returns the text of eight groups. The longest run of at least two zeros becomes `::`; of runs of equal length,
    /// the first.
    private static func text(ofGroups groups: [UInt16]) -> String {
        var best = 0..<0
        var start = 0
        while start < 8 {
            var end = start
            while end < 8, groups[end] == 0 { end += 1 }
            if end - start > best.count, end - start > 1 { best = start..<end }
            start = Swift.max(end, start + 1)
        }
        let hex = groups.map { String($0, radix: 16) }
        guard !best.isEmpty else { return hex.joined(separator: ":") }
        return hex[..<best.lowerBound].joined(separator: ":") + "::" + hex[best.upperBound...].joined(separator: ":")
    }

    private static func dotted(_ bytes: ArraySlice<UInt8>) -> UInt32? {
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        var value: UInt32 = 0
        for part in parts {
            guard let number = decimal(part, maximum: 255) else { return nil }
            value = value << 8 | UInt32(number)
        }
        return value
    }

    /// Reads a decimal number without sign or leading zeros, as in dotted addresses and prefix lengths. Returns nil for
    /// any other text.
    static func decimal(_ bytes: ArraySlice<UInt8>, maximum: Int) -> Int? {
        guard (1...3).contains(bytes.count), bytes.count == 1 || bytes.first != UInt8(ascii: "0") else { return nil }
        var value = 0
        for byte in bytes {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            value = value * 10 + Int(byte - UInt8(ascii: "0"))
        }
        return value <= maximum ? value : nil
    }

    private static func groups(_ bytes: [UInt8]) -> [UInt16]? {
        let colon = UInt8(ascii: ":")
        guard let gap = bytes.indices.dropLast().first(where: { bytes[$0] == colon && bytes[$0 + 1] == colon }) else {
            guard let all = run(bytes[...]), all.count == 8 else { return nil }
            return all
        }
        guard let front = run(bytes[..<gap], mayEndDotted: false), let back = run(bytes[(gap + 2)...]) else {
            return nil
        }
        let missing = 8 - front.count - back.count
        return missing >= 1 ? front + [UInt16](repeating: 0, count: missing) + back : nil
    }

    /// Reads groups separated by colons. The last group may be dotted decimal, which counts as two groups.
    private static func run(_ bytes: ArraySlice<UInt8>, mayEndDotted: Bool = true) -> [UInt16]? {
        guard !bytes.isEmpty else { return [] }
        let parts = bytes.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        var groups: [UInt16] = []
        for (index, part) in parts.enumerated() {
            if mayEndDotted, index == parts.count - 1, part.contains(UInt8(ascii: ".")) {
                guard let value = dotted(part) else { return nil }
                groups += [UInt16(value >> 16), UInt16(truncatingIfNeeded: value)]
            } else {
                guard (1...4).contains(part.count), part.first != UInt8(ascii: "+"),
                    let value = UInt16(String(decoding: part, as: UTF8.self), radix: 16),
                    part.first != UInt8(ascii: "-")
                else { return nil }
                groups.append(value)
            }
        }
        return groups.count <= 8 ? groups : nil
    }
}
