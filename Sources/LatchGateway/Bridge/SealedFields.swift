import Crypto

/// A few byte strings in one sealed box: what the bridge hands to a browser or a store and takes back unchanged or not at
/// all.
///
/// Inside the box each field has its count before it, in two bytes, the greater first.
enum SealedFields {
    /// Seals `fields`, each of at most 65,535 bytes; `context` says what they are, and a box opens under no other.
    static func seal(_ fields: [[UInt8]], key: Secret, context: [UInt8]) throws(CryptoError) -> [UInt8] {
        var plain: [UInt8] = []
        for field in fields {
            precondition(field.count <= 65_535, "A field of a sealed box must have a count of two bytes.")
            plain.append(UInt8(field.count >> 8))
            plain.append(UInt8(field.count & 255))
            plain += field
        }
        return try Sealing.seal(plain, key: key, context: context)
    }

    /// The fields of a box that ``seal(_:key:context:)`` made; nil for any other bytes.
    static func open(_ box: [UInt8], key: Secret, context: [UInt8]) -> [[UInt8]]? {
        guard let plain = try? Sealing.open(box, key: key, context: context) else { return nil }
        return fields(of: plain)
    }

    /// Reads fields with their counts; nil when the last one is cut short.
    static func fields(of plain: [UInt8]) -> [[UInt8]]? {
        var rest = plain[...]
        var fields: [[UInt8]] = []
        while let high = rest.popFirst() {
            guard let low = rest.popFirst() else { return nil }
            let count = Int(high) << 8 | Int(low)
            guard rest.count >= count else { return nil }
            fields.append(Array(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        return fields
    }
}

extension [UInt8] {
    /// The eight bytes of a number, the greatest first.
    init(bigEndian number: Int64) {
        self = (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
    }

    /// The number that ``init(bigEndian:)`` wrote; nil for another count of bytes.
    var bigEndian: Int64? {
        count == 8 ? reduce(0) { $0 << 8 | Int64($1) } : nil
    }
}
