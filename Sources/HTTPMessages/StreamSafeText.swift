/// Keeps untrusted text cheap to compare.
///
/// Swift compares strings by canonical equivalence, which sorts each run of combining characters in quadratic time. One
/// comparison of 16,000 of them takes 60 ms. Text with more than 30 in a row is therefore refused or repaired where bytes
/// become a string. No language uses such text.
///
/// Source: Unicode Standard Annex #15 §13, Stream-Safe Text Format, UAX15-D3 and UAX15-D4.
package enum StreamSafeText {
    /// The maximum number of combining characters in a row.
    static let maximumNonstarters = 30

    /// Returns the text of UTF-8 bytes, or nil when they are not UTF-8 or the text is not stream-safe.
    package static func decode(_ bytes: some Collection<UInt8>) -> String? {
        guard let text = String(validating: bytes, as: UTF8.self), isStreamSafe(text) else { return nil }
        return text
    }

    /// Returns whether the text has at most ``maximumNonstarters`` combining characters in a row.
    package static func isStreamSafe(_ text: String) -> Bool {
        var count = 0
        for scalar in text.unicodeScalars {
            count = isNonstarter(scalar) ? count + 1 : 0
            if count > maximumNonstarters { return false }
        }
        return true
    }

    /// Returns the text with a COMBINING GRAPHEME JOINER, which has no look of its own, between each 30 combining
    /// characters in a row. The time is linear in the length.
    ///
    /// Source: Unicode Standard Annex #15 §13.2, Stream-Safe Text Process, UAX15-D4.
    package static func repair(_ text: String) -> String {
        if isStreamSafe(text) { return text }
        var scalars = String.UnicodeScalarView()
        var count = 0
        for scalar in text.unicodeScalars {
            if !isNonstarter(scalar) {
                count = 0
            } else if count == maximumNonstarters {
                scalars.append("\u{34F}")
                count = 1
            } else {
                count += 1
            }
            scalars.append(scalar)
        }
        return String(scalars)
    }

    private static func isNonstarter(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        // No character below U+0300 is a combining character.
        case 0..<0x300: false
        // These have class 0, but decompose into two characters of other classes.
        case 0x0F73, 0x0F75, 0x0F81: true
        default: scalar.properties.canonicalCombiningClass != .notReordered
        }
    }
}

extension String {
    /// Returns whether both consist of the same bytes. `==` also treats `é` and `e` with U+0301 as equal.
    func hasSameBytes(as other: String) -> Bool {
        utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8)
    }
}
