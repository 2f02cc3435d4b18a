/// Percent-encoding of bytes in an address.
///
/// Source: RFC 3986 §2.1 and §2.3.
package enum PercentEncoding {
    /// Decodes `%hh` and keeps every other byte.
    ///
    /// - Returns: The decoded text. Nil for a broken escape, a NUL (escaped or not), bytes that are not UTF-8, or text
    ///   that is not ``StreamSafeText``.
    package static func decode(_ bytes: some Sequence<UInt8>) -> String? {
        decode(Array(bytes))
    }

    // Not generic: without optimization, a generic body looks up the type of the elements for each byte.
    private static func decode(_ bytes: [UInt8]) -> String? {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count)
        var position = 0
        while position < bytes.count {
            var byte = bytes[position]
            position += 1
            if byte == UInt8(ascii: "%") {
                guard position + 2 <= bytes.count, let high = digit(bytes[position]),
                    let low = digit(bytes[position + 1])
                else { return nil }
                byte = high << 4 | low
                position += 2
            }
            if byte == 0 { return nil }
            decoded.append(byte)
        }
        return StreamSafeText.decode(decoded)
    }

    /// Encodes every byte of `text` for which `keeping` returns false. By default, the unreserved characters are kept.
    package static func encode(_ text: String, keeping: (UInt8) -> Bool = isUnreserved) -> String {
        encode(text, space: nil, keeping: keeping)
    }

    /// Encodes every byte of `text` for which `keeping` returns false. `space` replaces a space when it is not nil.
    static func encode(_ text: String, space: UInt8?, keeping: (UInt8) -> Bool) -> String {
        var encoded: [UInt8] = []
        encoded.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            if byte == UInt8(ascii: " "), let space {
                encoded.append(space)
            } else if keeping(byte) {
                encoded.append(byte)
            } else {
                encoded += [UInt8(ascii: "%"), hexadecimal(byte >> 4), hexadecimal(byte & 15)]
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }

    /// Returns whether `byte` is one of `A-Z a-z 0-9 - . _ ~`.
    ///
    /// Source: RFC 3986 §2.3.
    package static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"): true
        default: isAlphanumeric(byte)
        }
    }

    static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"):
            true
        default: false
        }
    }

    /// Returns the value of a hexadecimal digit, or nil for any other byte.
    static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    private static func hexadecimal(_ half: UInt8) -> UInt8 {
        half < 10 ? UInt8(ascii: "0") + half : UInt8(ascii: "A") + half - 10
    }
}
