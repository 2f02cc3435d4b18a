/// A file's bytes, read where they are asked for: what a photograph or a film says of itself stands in a few places of it.
struct MediaBytes {
    /// How many there are.
    let count: Int
    private let read: (_ position: Int, _ count: Int) -> [UInt8]

    /// Makes a view on something that can be read at any place.
    ///
    /// - Parameters:
    ///   - count: The size in bytes.
    ///   - read: Gives the bytes from a place, fewer at the end or when reading fails.
    init(count: Int, read: @escaping (_ position: Int, _ count: Int) -> [UInt8]) {
        self.count = count
        self.read = read
    }

    /// A view on bytes in memory.
    init(_ bytes: [UInt8]) {
        self.init(count: bytes.count) { position, count in
            Array(bytes[min(position, bytes.count)..<min(position + count, bytes.count)])
        }
    }

    /// Exactly `count` bytes from `position`; nil where the file does not have them. Nobody needs more than 1 MiB at once.
    func bytes(_ position: Int, _ count: Int) -> MediaFields? {
        guard position >= 0, count >= 0, count <= 1 << 20, position <= self.count, count <= self.count - position else {
            return nil
        }
        let found = read(position, count)
        return found.count == count ? MediaFields(found) : nil
    }
}
