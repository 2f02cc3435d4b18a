/// How much room the queue wants on the disk.
enum DiskSpace {
    /// With less than this nothing is begun again after the disk was full, in bytes.
    static let minimumFreeBytes = 16 << 20
}
