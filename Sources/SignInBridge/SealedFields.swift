package import Crypto

/// A list of byte strings in one sealed box. The bridge hands a box to a browser or a store, and detects any change
/// when it gets the box back.
///
/// Inside the box each field is preceded by its length, as two bytes, big-endian.
package enum SealedFields {
    /// Seals `fields`, each of at most 65,535 bytes. `context` identifies their purpose; a box can be opened only with
    /// the same context.
    package static func seal(_ fields: [[UInt8]], key: Secret, context: [UInt8]) throws(CryptoError) -> [UInt8] {
        var plain: [UInt8] = []
        for field in fields {
            precondition(field.count <= 65_535, "A field of a sealed box must have a count of two bytes.")
            plain.append(UInt8(field.count >> 8))
            plain.append(UInt8(field.count & 255))
            plain += field
        }
        return try Sealing.seal(plain, key: key, context: context)
    }

    /// Returns the fields of a box that ``seal(_:key:context:)`` made. Nil for any other bytes.
    package static func open(_ box: [UInt8], key: Secret, context: [UInt8]) -> [[UInt8]]? {
        guard let plain = try? Sealing.open(box, key: key, context: context) else { return nil }
        return fields(of: plain)
    }

    /// Reads fields with their lengths. Returns nil when the last one is incomplete.
    package static func fields(of plain: [UInt8]) -> [[UInt8]]? {
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
    /// Makes the eight bytes of a number, big-endian.
    package init(bigEndian number: Int64) {
        self = (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
    }

    /// The number that ``init(bigEndian:)`` wrote. Nil unless there are exactly eight bytes.
    package var bigEndian: Int64? {
        count == 8 ? reduce(0) { $0 << 8 | Int64($1) } : nil
    }
}
