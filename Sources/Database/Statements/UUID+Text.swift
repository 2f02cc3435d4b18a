package import FoundationEssentials

/// Conversion of UUIDs from and to text. Every row contains a UUID, and Foundation's own conversions use the slow
/// `snprintf` and `sscanf`.
extension UUID {
    /// The UUID in lower-case letters, as it is stored.
    package var text: String {
        String(unsafeUninitializedCapacity: 36) { text in
            withUnsafeBytes(of: uuid) { bytes in
                var index = 0
                for (place, byte) in bytes.enumerated() {
                    if place == 4 || place == 6 || place == 8 || place == 10 {
                        text[index] = UInt8(ascii: "-")
                        index += 1
                    }
                    text[index] = Self.digit(byte >> 4)
                    text[index + 1] = Self.digit(byte & 15)
                    index += 2
                }
                return index
            }
        }
    }

    /// Creates a UUID from text in upper or lower case. Returns nil for any other text.
    ///
    /// Source: RFC 9562 §4.
    package init?(text: String) {
        var value: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        var digits = 0
        let isRead = withUnsafeMutableBytes(of: &value) { bytes in
            for (place, byte) in text.utf8.enumerated() {
                if place == 8 || place == 13 || place == 18 || place == 23 {
                    guard byte == UInt8(ascii: "-") else { return false }
                } else {
                    guard digits < 32, let value = Self.value(byte) else { return false }
                    bytes[digits / 2] = bytes[digits / 2] << 4 | value
                    digits += 1
                }
            }
            return digits == 32
        }
        guard isRead else { return nil }
        self.init(uuid: value)
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
