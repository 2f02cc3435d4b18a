import CLibrary
import CProcess
package import FoundationEssentials

extension DownloadPart {
    /// Sets an extended attribute of the file, which is kept when the file is moved. Does nothing where the file system
    /// does not support attributes.
    ///
    /// Source: xattr(7), the namespace `user`.
    package func setAttribute(_ name: String, _ value: String) {
        guard let file else { return }
        var value = value
        _ = value.withUTF8 { latch_set_attribute(file, name, $0.baseAddress, $0.count) }
    }

    /// Lets other users read the file, as far as this program's file mode creation mask permits. Until then, only this
    /// user can read it.
    ///
    /// Source: umask(2).
    package func share() {
        if let file { _ = fchmod(file, 0o666 & ~Self.mask) }
    }

    // When the mask is unknown, only this user gets access.
    private static let mask: mode_t = mode_t(exactly: latch_file_mask()) ?? 0o077

    /// Returns an extended attribute of a file, or nil when there is none or it is longer than `maximum` bytes.
    package static func attribute(_ name: String, of path: String, maximum: Int = 256) -> String? {
        var value = [UInt8](repeating: 0, count: maximum)
        let count = latch_attribute(path, name, &value, maximum)
        return count > 0 ? String(validating: value[..<count], as: UTF8.self) : nil
    }

    /// The state of a path, according to an extended attribute.
    package enum Mark: Sendable, Equatable {
        /// There is no file.
        case noFile
        /// A file without the attribute, or on a file system that does not support attributes.
        case unmarked
        /// A file with the attribute. The value is empty when it is not text or is longer than requested.
        case marked(String)
    }

    /// Returns the state of a path. Makes a single system call when the file has the attribute.
    ///
    /// Source: getxattr(2), ERRORS; stat(2).
    package static func mark(_ name: String, at path: String, maximum: Int = 256) -> Mark {
        var value = [UInt8](repeating: 0, count: maximum)
        let count = latch_attribute(path, name, &value, maximum)
        if count > 0 { return .marked(String(validating: value[..<count], as: UTF8.self) ?? "") }
        if count < 0, errno == ENOENT || errno == ENOTDIR { return .noFile }
        if count < 0, errno == ERANGE { return .marked("") }
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG ? .unmarked : .noFile
    }

    /// Returns when the content, the name or the attributes of a file last changed, or nil when there is no file.
    ///
    /// The modification time of a part may be set to that of its picture. The result is therefore the later of the
    /// modification time and the status change time.
    ///
    /// Source: inode(7), `mtime` and `ctime`.
    package static func lastChange(of path: String) -> Date? {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        return Date(timeIntervalSince1970: Double(max(status.st_mtim.tv_sec, status.st_ctim.tv_sec)))
    }
}
