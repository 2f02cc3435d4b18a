import CSpawn

/// Searches byte strings.
public enum Bytes {
    /// Returns whether `hay` contains `needle`.
    ///
    /// Source: memmem(3).
    public static func contains(_ hay: UnsafeRawBufferPointer, _ needle: [UInt8]) -> Bool {
        memmem(hay.baseAddress, hay.count, needle, needle.count) != nil
    }

    /// Returns the index of the empty line that ends the head of a message. Nil when it is not there yet.
    ///
    /// Source: RFC 9112 §2.1.
    public static func headEnd(in bytes: ArraySlice<UInt8>) -> Int? {
        let offset = bytes.withUnsafeBytes { bytes in
            memmem(bytes.baseAddress, bytes.count, "\r\n\r\n", 4).map { UnsafeRawPointer($0) - bytes.baseAddress! }
        }
        return offset.map { bytes.startIndex + $0 }
    }
}
