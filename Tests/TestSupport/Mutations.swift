/// Every way to break some bytes a little.
public enum Mutations {
    /// Every prefix, from nothing to all but the last byte.
    public static func prefixes(of bytes: [UInt8]) -> [[UInt8]] {
        bytes.indices.map { Array(bytes[..<$0]) }
    }

    /// How many ways ``flip(_:of:)`` knows.
    public static func flipCount(of bytes: [UInt8]) -> Int {
        bytes.count * 13
    }

    /// One way: a bit of one byte flipped, or the byte made NUL, LF, CR, space or 0xFF.
    public static func flip(_ number: Int, of bytes: [UInt8]) -> [UInt8] {
        let (index, way) = number.quotientAndRemainder(dividingBy: 13)
        var broken = bytes
        broken[index] = way < 8 ? bytes[index] ^ (1 << UInt8(way)) : [0, 10, 13, 32, 255][way - 8]
        return broken
    }

    /// Every way.
    public static func flips(of bytes: [UInt8]) -> [[UInt8]] {
        (0..<flipCount(of: bytes)).map { flip($0, of: bytes) }
    }
}
