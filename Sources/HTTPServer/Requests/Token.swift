import HTTPMessages

/// The bytes that may occur in the name and the value of a field. Uses a table, because every byte of every request is
/// checked.
///
/// Source: RFC 9110 §5.5 and §5.6.2.
enum Token {
    // One bit for each byte below 64, and one for each byte from 64 to 127: letters, digits and !#$%&'*+-.^_`|~.
    private static let low: UInt64 = 0x03FF_6CFA_0000_0000
    private static let high: UInt64 = 0x57FF_FFFF_C7FF_FFFE

    static func isByte(_ byte: UInt8) -> Bool {
        byte < 64 ? low >> UInt64(byte) & 1 == 1 : byte < 128 && high >> UInt64(byte - 64) & 1 == 1
    }

    static func isValueByte(_ byte: UInt8) -> Bool {
        byte >= 32 && byte != 127 || byte == 9
    }

    static func isSpace(_ byte: UInt8) -> Bool {
        byte == 32 || byte == 9
    }

    /// Returns whether the name of a field is `known`, which is in lower case.
    static func isName(_ name: String, _ known: StaticString) -> Bool {
        let bytes = name.utf8.span
        guard bytes.count == known.utf8CodeUnitCount else { return false }
        for index in bytes.indices where lowercased(bytes[index]) != known.utf8Start[index] { return false }
        return true
    }

    /// Returns whether a field can be sent without breaking the message.
    static func isSafe(_ field: HTTPHeaders.Field) -> Bool {
        let name = field.name.utf8.span
        let value = field.value.utf8.span
        for index in name.indices where !isByte(name[index]) { return false }
        for index in value.indices where !isValueByte(value[index]) { return false }
        return !name.isEmpty
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte
    }
}
