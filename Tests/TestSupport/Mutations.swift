/// Small modifications of byte strings, for tests with damaged input.
public enum Mutations {
    /// Returns all prefixes, from the empty one to all but the last byte.
    public static func prefixes(of bytes: [UInt8]) -> [[UInt8]] {
        bytes.indices.map { Array(bytes[..<$0]) }
    }

    /// Returns the number of modifications that ``flip(_:of:)`` supports.
    public static func flipCount(of bytes: [UInt8]) -> Int {
        bytes.count * 13
    }

    /// Returns one modification: a byte with one bit flipped, or replaced by NUL, LF, CR, space or 0xFF.
    public static func flip(_ number: Int, of bytes: [UInt8]) -> [UInt8] {
        let (index, kind) = number.quotientAndRemainder(dividingBy: 13)
        var broken = bytes
        broken[index] = kind < 8 ? bytes[index] ^ (1 << UInt8(kind)) : [0, 10, 13, 32, 255][kind - 8]
        return broken
    }

    /// Returns all modifications.
    public static func flips(of bytes: [UInt8]) -> [[UInt8]] {
        (0..<flipCount(of: bytes)).map { flip($0, of: bytes) }
    }
}
