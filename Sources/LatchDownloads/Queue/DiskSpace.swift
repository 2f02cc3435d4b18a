import FoundationEssentials
import HTTPClient

/// The disk space that downloads need.
package enum DiskSpace {
    /// The free bytes needed to start transfers again after the disk was full.
    static let minimumFreeBytes = 16 << 20

    /// Returns the free bytes of the disk on which a folder is, or will be when it is created.
    ///
    /// - Parameter folder: The full path.
    /// - Returns: The bytes. Nil when they cannot be determined.
    package static func freeBytes(for folder: String) -> Int? {
        var url = URL(fileURLWithPath: folder).standardizedFileURL
        while !FileManager.default.fileExists(atPath: url.path), url.path != "/" { url.deleteLastPathComponent() }
        return DownloadPart.freeBytes(in: url.path)
    }
}
