/// Writes JSON piece by piece into bytes, for what is written too often for a tree or a coder.
///
/// Source: RFC 8259 §7.
enum JSONText {
    /// Appends `text` as a JSON string, quotes included; all control characters are escaped, those above 0x7E too, so
    /// that a terminal that shows the line does nothing but show it.
    static func append(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": append(ascii: "\\\"", to: &bytes)
            case "\\": append(ascii: "\\\\", to: &bytes)
            case "\n": append(ascii: "\\n", to: &bytes)
            case "\r": append(ascii: "\\r", to: &bytes)
            case "\t": append(ascii: "\\t", to: &bytes)
            case _ where scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value):
                appendEscape(UInt8(scalar.value), to: &bytes)
            case _ where scalar.isASCII: bytes.append(UInt8(scalar.value))
            default: bytes.append(contentsOf: String(scalar).utf8)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Appends a text that is JSON already.
    static func append(ascii text: String, to bytes: inout [UInt8]) {
        bytes.append(contentsOf: text.utf8)
    }

    private static func appendEscape(_ byte: UInt8, to bytes: inout [UInt8]) {
        append(ascii: "\\u00", to: &bytes)
        bytes.append(hexadecimalDigit(byte >> 4))
        bytes.append(hexadecimalDigit(byte & 15))
    }

    /// The digit of 0 to 15, lower-case.
    static func hexadecimalDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}
