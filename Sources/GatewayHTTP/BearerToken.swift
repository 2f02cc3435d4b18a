/// Reads the token of an app. A token is accepted only in the `Authorization` field.
///
/// Source: RFC 6750 §2.1, and §5.3 against tokens in an address; RFC 9110 §11.1: the scheme is case-insensitive.
package enum BearerToken {
    /// The scheme of a token that is bound to a key.
    ///
    /// Source: RFC 9449 §7.1.
    package static let proofScheme = "dpop"

    /// Reads the token in the value of an `Authorization` field with the scheme `Bearer` or `DPoP`. Whether a token may
    /// be used with a scheme is decided where it is authenticated.
    package static func token(_ value: String) -> String? {
        credentials(value) ?? credentials(value, scheme: proofScheme)
    }

    /// Reads the token in the value of an `Authorization` field.
    ///
    /// - Parameters:
    ///   - value: The value of the field.
    ///   - scheme: The expected scheme, in lower case.
    /// - Returns: The token. Nil when the field has another scheme or is malformed.
    package static func credentials(_ value: String, scheme: String = "bearer") -> String? {
        let bytes = value.utf8.span
        let scheme = scheme.utf8.span
        guard bytes.count > scheme.count, bytes[scheme.count] == UInt8(ascii: " ") else { return nil }
        for index in scheme.indices where bytes[index] | 0x20 != scheme[index] { return nil }
        var start = scheme.count
        while start < bytes.count, bytes[start] == UInt8(ascii: " ") { start += 1 }
        guard start < bytes.count else { return nil }
        for index in start..<bytes.count where !isTokenByte(bytes[index]) { return nil }
        return String(Substring(value.utf8.dropFirst(start)))
    }

    /// Whether a byte may occur in a `b64token`.
    ///
    /// Source: RFC 6750 §2.1.
    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"), UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="):
            true
        default: false
        }
    }
}
