/// The bytes of a file, read on demand, because the metadata of a photograph or video is in only a few places.
struct MediaBytes {
    /// The size of the file in bytes.
    let count: Int
    private let read: (_ position: Int, _ count: Int) -> [UInt8]

    /// Makes a view of a source that can be read at any position.
    ///
    /// - Parameters:
    ///   - count: The size in bytes.
    ///   - read: Returns the bytes at a position. Fewer than requested at the end or when reading fails.
    init(count: Int, read: @escaping (_ position: Int, _ count: Int) -> [UInt8]) {
        self.count = count
        self.read = read
    }

    /// Makes a view of bytes in memory.
    init(_ bytes: [UInt8]) {
        self.init(count: bytes.count) { position, count in
            Array(bytes[min(position, bytes.count)..<min(position + count, bytes.count)])
        }
    }

    /// Returns exactly `count` bytes from `position`. Nil when the file does not contain them, or for more than 1 MiB.
    func bytes(_ position: Int, _ count: Int) -> MediaFields? {
        guard position >= 0, count >= 0, count <= 1 << 20, position <= self.count, count <= self.count - position else {
            return nil
        }
        let found = read(position, count)
        return found.count == count ? MediaFields(found) : nil
    }
}
