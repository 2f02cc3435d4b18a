import CSpawn

/// Searching bytes.
public enum Bytes {
    /// Whether `needle` stands in `hay`.
    ///
    /// Source: memmem(3).
    public static func contains(_ hay: UnsafeRawBufferPointer, _ needle: [UInt8]) -> Bool {
        memmem(hay.baseAddress, hay.count, needle, needle.count) != nil
    }

    /// Where the empty line begins that ends the head of a message; nil where there is none yet.
    ///
    /// Source: RFC 9112 §2.1.
    public static func headEnd(in bytes: ArraySlice<UInt8>) -> Int? {
        let offset = bytes.withUnsafeBytes { bytes in
            memmem(bytes.baseAddress, bytes.count, "\r\n\r\n", 4).map { UnsafeRawPointer($0) - bytes.baseAddress! }
        }
        return offset.map { bytes.startIndex + $0 }
    }
}
