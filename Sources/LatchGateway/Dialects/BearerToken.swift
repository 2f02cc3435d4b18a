import HTTPServer
import Wire

/// The token of a request: in the `Authorization` field and nowhere else.
///
/// Source: RFC 6750 §2.1, and §5.3 against tokens in an address; RFC 9110 §11.1, the scheme's case does not matter.
enum BearerToken {
    /// The token, or nil when there is none, two fields, or another scheme.
    static func of(_ request: ServerRequest) -> String? {
        let fields = request.headers.values("Authorization")
        guard fields.count == 1 else { return nil }
        let bytes = fields[0].utf8
        guard let space = bytes.firstIndex(of: UInt8(ascii: " ")),
            HTTPHeaders.namesAreEqual(String(fields[0][..<space]), "bearer")
        else { return nil }
        let token = bytes[space...].drop { $0 == UInt8(ascii: " ") }
        guard !token.isEmpty, token.allSatisfy(isTokenByte) else { return nil }
        return String(token)
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
