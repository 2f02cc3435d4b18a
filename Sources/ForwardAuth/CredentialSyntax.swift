/// The syntax of the value of an `Authorization` field: a scheme, then nothing, one token, or a list of parameters.
///
/// A value with two credentials, such as `Basic …, Bearer …`, does not have it: after the comma there must be a name and
/// `=`. The values of parameters may have more characters than in the specification, for schemes such as that of AWS, but no
/// spaces outside quotation marks.
///
/// Source: RFC 9110 §11.4.
enum CredentialSyntax {
    /// Whether a value is one credential.
    static func accepts(_ value: String) -> Bool {
        var rest = Array(value.utf8)[...]
        guard read(&rest, isName) else { return false }
        guard !rest.isEmpty else { return true }
        guard read(&rest, isSpace), !rest.isEmpty else { return rest.isEmpty }
        var token = rest
        if read(&token, isTokenByte) {
            _ = read(&token, { $0 == UInt8(ascii: "=") })
            if token.isEmpty { return true }
        }
        while true {
            guard parameter(&rest) else { return false }
            _ = read(&rest, isSpace)
            guard let next = rest.popFirst() else { return true }
            guard next == UInt8(ascii: ",") else { return false }
            // Empty elements of a list are allowed.
            _ = read(&rest) { isSpace($0) || $0 == UInt8(ascii: ",") }
            guard !rest.isEmpty else { return true }
        }
    }

    /// Reads a name, `=` and a value.
    private static func parameter(_ rest: inout ArraySlice<UInt8>) -> Bool {
        guard read(&rest, isName) else { return false }
        _ = read(&rest, isSpace)
        guard rest.popFirst() == UInt8(ascii: "=") else { return false }
        _ = read(&rest, isSpace)
        guard rest.first == UInt8(ascii: "\"") else {
            return read(&rest) { !isSpace($0) && $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "\"") }
        }
        rest.removeFirst()
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\"") { return true }
            if byte == UInt8(ascii: "\\"), rest.popFirst() == nil { return false }
        }
        return false
    }

    /// Skips the bytes at the beginning that a function accepts. Returns whether there was one.
    private static func read(_ rest: inout ArraySlice<UInt8>, _ isAccepted: (UInt8) -> Bool) -> Bool {
        let count = rest.count
        rest = rest.drop(while: isAccepted)
        return rest.count < count
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
    }

    /// Source: RFC 9110 §5.6.2, `token`.
    private static func isName(_ byte: UInt8) -> Bool { isAlphanumeric(byte) || "!#$%&'*+-.^_`|~".utf8.contains(byte) }

    /// Source: RFC 9110 §11.2, `token68` without its `=` at the end.
    private static func isTokenByte(_ byte: UInt8) -> Bool { isAlphanumeric(byte) || "-._~+/".utf8.contains(byte) }
}
