import CSpawn

/// Searching bytes.
public enum Bytes {
    /// Whether `needle` stands in `hay`.
    ///
    /// Source: memmem(3).
    public static func contains(_ hay: UnsafeRawBufferPointer, _ needle: [UInt8]) -> Bool {
        memmem(hay.baseAddress, hay.count, needle, needle.count) != nil
    }
}
