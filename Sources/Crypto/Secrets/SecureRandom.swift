import CSodium

/// Random bytes from the system's generator.
package enum SecureRandom {
    /// Returns `count` unpredictable bytes.
    ///
    /// Source: `randombytes_buf`, which reads `getrandom(2)`.
    package static func bytes(_ count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, initializedCount in
            fill(UnsafeMutableRawBufferPointer(start: buffer.baseAddress, count: count))
            initializedCount = count
        }
    }

    static func fill(_ buffer: UnsafeMutableRawBufferPointer) {
        Sodium.prepare()
        guard let base = buffer.baseAddress, !buffer.isEmpty else { return }
        randombytes_buf(base, buffer.count)
    }
}
