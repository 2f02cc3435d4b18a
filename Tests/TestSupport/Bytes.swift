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

/// Returns bytes that differ from place to place and from seed to seed. A shorter array is the beginning of a longer one.
public func patternBytes(_ count: Int, seed: UInt64 = 0) -> [UInt8] {
    // A word at a time: unoptimized, a closure for each byte takes a hundred times as long.
    let words = (count + 7) / 8
    let factor = (seed &* 2 &+ 1) &* 0x9E37_79B9_7F4A_7C15
    var bytes = [UInt8](unsafeUninitializedCapacity: words * 8) { buffer, used in
        buffer.withMemoryRebound(to: UInt64.self) { buffer in
            var index = 0
            while index < words {
                buffer[index] = UInt64(index &+ 1) &* factor
                index += 1
            }
        }
        used = words * 8
    }
    bytes.removeLast(bytes.count - count)
    return bytes
}
