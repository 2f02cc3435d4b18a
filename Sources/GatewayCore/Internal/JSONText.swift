package import FoundationEssentials

/// Appends JSON to bytes piece by piece, for output that is too frequent for a tree or an encoder.
///
/// Source: RFC 8259 §7.
package enum JSONText {
    /// Appends `text` as a JSON string with its quotes. All control characters are escaped, including those above 0x7E,
    /// so that they have no effect on a terminal that shows the line.
    package static func append(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        if text.utf8.allSatisfy(isPlain) {
            bytes.append(contentsOf: text.utf8)
        } else {
            appendEscaped(text, to: &bytes)
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte < 0x7F && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }

    private static func appendEscaped(_ text: String, to bytes: inout [UInt8]) {
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
    }

    /// Appends a text that is already JSON.
    package static func append(ascii text: String, to bytes: inout [UInt8]) {
        bytes.append(contentsOf: text.utf8)
    }

    /// Appends a constant that is already JSON, without creating a string or counting its length.
    package static func append(json text: StaticString, to bytes: inout [UInt8]) {
        unsafe bytes.append(
            contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Appends an id in lower case, without quotes.
    package static func append(id: UUID, to bytes: inout [UInt8]) {
        let b = id.uuid
        appendHexadecimal(b.0, b.1, to: &bytes)
        appendHexadecimal(b.2, b.3, to: &bytes)
        bytes.append(UInt8(ascii: "-"))
        appendHexadecimal(b.4, b.5, to: &bytes)
        bytes.append(UInt8(ascii: "-"))
        appendHexadecimal(b.6, b.7, to: &bytes)
        bytes.append(UInt8(ascii: "-"))
        appendHexadecimal(b.8, b.9, to: &bytes)
        bytes.append(UInt8(ascii: "-"))
        appendHexadecimal(b.10, b.11, to: &bytes)
        appendHexadecimal(b.12, b.13, to: &bytes)
        appendHexadecimal(b.14, b.15, to: &bytes)
    }

    private static func appendHexadecimal(_ one: UInt8, _ two: UInt8, to bytes: inout [UInt8]) {
        bytes.append(hexadecimalDigit(one >> 4))
        bytes.append(hexadecimalDigit(one & 15))
        bytes.append(hexadecimalDigit(two >> 4))
        bytes.append(hexadecimalDigit(two & 15))
    }

    private static func appendEscape(_ byte: UInt8, to bytes: inout [UInt8]) {
        append(ascii: "\\u00", to: &bytes)
        bytes.append(hexadecimalDigit(byte >> 4))
        bytes.append(hexadecimalDigit(byte & 15))
    }

    /// Returns the lower-case digit for a value from 0 to 15.
    static func hexadecimalDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}
