import HTTPServer
import Wire

/// The token of a request: in the `Authorization` field and nowhere else.
///
/// Source: RFC 6750 §2.1, and §5.3 against tokens in an address; RFC 9110 §11.1, the scheme's case does not matter.
enum BearerToken {
    /// The token, or nil when there is none, two fields, or another scheme.
    static func of(_ request: ServerRequest) -> String? {
        var token: String?
        for field in request.headers.fields where HTTPHeaders.namesAreEqual(field.name, "authorization") {
            guard token == nil, let found = credentials(field.value) else { return nil }
            token = found
        }
        return token
    }

    private static let scheme = "bearer"

    private static func credentials(_ value: String) -> String? {
        let bytes = value.utf8
        guard bytes.count > scheme.utf8.count else { return nil }
        var index = bytes.startIndex
        for byte in scheme.utf8 {
            guard bytes[index] | 0x20 == byte else { return nil }
            bytes.formIndex(after: &index)
        }
        guard bytes[index] == UInt8(ascii: " ") else { return nil }
        while index < bytes.endIndex, bytes[index] == UInt8(ascii: " ") { bytes.formIndex(after: &index) }
        let start = index
        while index < bytes.endIndex {
            guard isTokenByte(bytes[index]) else { return nil }
            bytes.formIndex(after: &index)
        }
        return start == index ? nil : String(value[start...])
    }

    /// `b64token` of RFC 6750 §2.1.
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
