/// The disk space that the queue needs.
enum DiskSpace {
    /// The free bytes needed to start transfers again after the disk was full.
    static let minimumFreeBytes = 16 << 20
}
