/// A short sequence of bytes that contains numbers and texts.
struct MediaFields {
    let bytes: [UInt8]
    /// Whether numbers are little-endian. Default: false.
    var isLittleEndian = false

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Returns the integer of 1 to 8 bytes at `position`. Nil beyond the end, or when it is larger than an `Int`.
    func number(_ position: Int, _ count: Int) -> Int? {
        guard let field = slice(position, count), count <= 8 else { return nil }
        var value: UInt64 = 0
        for byte in isLittleEndian ? Array(field.reversed()) : Array(field) { value = value << 8 | UInt64(byte) }
        return Int(exactly: value)
    }

    /// Returns the ASCII text of `count` bytes at `position`, up to the first NUL. Nil beyond the end, or when it is
    /// not printable ASCII.
    func text(_ position: Int, _ count: Int) -> String? {
        guard let field = slice(position, count)?.prefix(while: { $0 != 0 }) else { return nil }
        return field.allSatisfy { (0x20...0x7E).contains($0) } ? String(decoding: field, as: UTF8.self) : nil
    }

    /// Returns the bytes at `position`. Nil beyond the end.
    func slice(_ position: Int, _ count: Int) -> ArraySlice<UInt8>? {
        guard position >= 0, count >= 0, position <= bytes.count, count <= bytes.count - position else { return nil }
        return bytes[position..<position + count]
    }
}
