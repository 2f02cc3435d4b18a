/// An IPv6 address with its text form.
///
/// Source: RFC 4291 §2.2 for parsing, RFC 5952 §4 for formatting.
struct IPv6Literal: CustomStringConvertible {
    /// The eight groups of 16 bits.
    let groups: [UInt16]

    init?(_ text: String) {
        guard let gap = text.firstRange(of: "::") else {
            guard let groups = Self.groups(text[...]), groups.count == 8 else { return nil }
            self.groups = groups
            return
        }
        guard let head = Self.groups(text[..<gap.lowerBound], mayEndInIPv4: false),
            let tail = Self.groups(text[gap.upperBound...]), head.count + tail.count <= 7
        else { return nil }
        groups = head + Array(repeating: 0, count: 8 - head.count - tail.count) + tail
    }

    /// The canonical text: lower case, no leading zeros, and `::` for the longest run of two or more zero groups.
    var description: String {
        var best = 0..<0
        var index = 0
        while index < 8 {
            let end = groups[index...].firstIndex { $0 != 0 } ?? 8
            if end - index > max(best.count, 1) { best = index..<end }
            index = max(end, index + 1)
        }
        let text = groups.map { String($0, radix: 16) }
        guard !best.isEmpty else { return text.joined(separator: ":") }
        return text[..<best.lowerBound].joined(separator: ":") + "::" + text[best.upperBound...].joined(separator: ":")
    }

    private static func groups(_ text: Substring, mayEndInIPv4: Bool = true) -> [UInt16]? {
        guard !text.isEmpty else { return [] }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        var groups: [UInt16] = []
        for (index, part) in parts.enumerated() {
            if part.contains(".") {
                let bytes = part.split(separator: ".").compactMap { UInt16($0) }
                guard mayEndInIPv4, index == parts.count - 1, HostName.isIPv4(String(part)), bytes.count == 4 else {
                    return nil
                }
                groups += [bytes[0] << 8 | bytes[1], bytes[2] << 8 | bytes[3]]
            } else {
                guard (1...4).contains(part.utf8.count), part.allSatisfy({ $0.isASCII && $0.isHexDigit }),
                    let group = UInt16(part, radix: 16)
                else { return nil }
                groups.append(group)
            }
        }
        return groups
    }
}
