/// A valid `tracestate`: up to 32 pairs of different keys and their values.
///
/// Source: W3C, "Trace Context", §3.3.1.
struct TraceState {
    private var members: [Substring.UTF8View] = []

    /// Reads the values of all `tracestate` fields of a message, in order. Returns nil when there is no member or one is
    /// malformed.
    init?(_ values: [String]) {
        var keys = Set<String>()
        for value in values {
            for part in value[...].utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
                let member = Self.trimmed(part)
                // Empty members are allowed.
                guard !member.isEmpty else { continue }
                guard members.count < Self.maximumCount, let key = Self.key(of: member), keys.insert(key).inserted
                else { return nil }
                members.append(member)
            }
        }
        if members.isEmpty { return nil }
    }

    /// The members, without those that do not fit into ``TraceContext/maximumStateBytes``: first members of more than
    /// 128 bytes are left out, then the last ones. Nil when no member is left.
    ///
    /// Source: §3.3.1.5.
    var text: String? {
        var kept = members
        if Self.length(kept) > TraceContext.maximumStateBytes { kept.removeAll { $0.count > 128 } }
        while Self.length(kept) > TraceContext.maximumStateBytes { kept.removeLast() }
        return kept.isEmpty ? nil : kept.map { String(Substring($0)) }.joined(separator: ",")
    }

    private static let maximumCount = 32

    private static func length(_ members: [Substring.UTF8View]) -> Int {
        members.reduce(members.count - 1) { $0 + $1.count }
    }

    private static func trimmed(_ part: Substring.UTF8View) -> Substring.UTF8View {
        var part = part
        while let first = part.first, first == 0x20 || first == 0x09 { part.removeFirst() }
        while let last = part.last, last == 0x20 || last == 0x09 { part.removeLast() }
        return part
    }

    /// Returns the key of a member, or nil when the member is malformed.
    private static func key(of member: Substring.UTF8View) -> String? {
        guard let equals = member.firstIndex(of: UInt8(ascii: "=")) else { return nil }
        let key = member[..<equals]
        guard isKey(key), isValue(member[member.index(after: equals)...]) else { return nil }
        return String(Substring(key))
    }

    /// A key: `lcalpha 0*255(keychar)`, or a tenant and a system on both sides of `@`.
    private static func isKey(_ key: Substring.UTF8View) -> Bool {
        guard let at = key.firstIndex(of: UInt8(ascii: "@")) else {
            return key.count <= 256 && key.first.map(isLetter) == true && key.allSatisfy(isKeyCharacter)
        }
        let tenant = key[..<at]
        let system = key[key.index(after: at)...]
        return (1...241).contains(tenant.count) && tenant.first.map { isLetter($0) || isDigit($0) } == true
            && tenant.allSatisfy(isKeyCharacter) && (1...14).contains(system.count)
            && system.first.map(isLetter) == true && system.allSatisfy(isKeyCharacter)
    }

    /// A value: 1 to 256 printable characters without `,` and `=`, the last of which is not a space.
    private static func isValue(_ value: Substring.UTF8View) -> Bool {
        (1...256).contains(value.count) && value.last != 0x20
            && value.allSatisfy {
                (0x20...0x7E).contains($0) && $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "=")
            }
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte) }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    private static func isKeyCharacter(_ byte: UInt8) -> Bool {
        isLetter(byte) || isDigit(byte) || "_-*/".utf8.contains(byte)
    }
}
