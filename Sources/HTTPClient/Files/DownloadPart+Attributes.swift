import CProcess
public import FoundationEssentials

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

extension DownloadPart {
    /// Puts a text on the file, which goes with it wherever it is moved; left out where the file system keeps no such
    /// things.
    ///
    /// Source: xattr(7), the namespace `user`.
    public func setAttribute(_ name: String, _ value: String) {
        guard let file else { return }
        var value = value
        _ = value.withUTF8 { latch_set_attribute(file, name, $0.baseAddress, $0.count) }
    }

    /// Lets others read the file, as far as this program's file mode creation mask does. Until then it is this user's
    /// alone.
    ///
    /// Source: umask(2).
    public func share() {
        if let file { _ = fchmod(file, 0o666 & ~Self.mask) }
    }

    private static let mask: mode_t = mode_t(exactly: latch_file_mask()) ?? 0o077

    /// A text that was put on a file; nil when there is none, or it is longer than `maximum` bytes.
    public static func attribute(_ name: String, of path: String, maximum: Int = 256) -> String? {
        var value = [UInt8](repeating: 0, count: maximum)
        let count = latch_attribute(path, name, &value, maximum)
        return count > 0 ? String(validating: value[..<count], as: UTF8.self) : nil
    }

    /// What is at a path, told by a text that may be on it.
    public enum Mark: Sendable, Equatable {
        /// No file.
        case noFile
        /// A file without that text, or on a file system that keeps none.
        case unmarked
        /// A file with that text; empty when it is no text, or longer than was asked for.
        case marked(String)
    }

    /// What is at a path: one call to the system where the file has the text.
    ///
    /// Source: getxattr(2), ERRORS; stat(2).
    public static func mark(_ name: String, at path: String, maximum: Int = 256) -> Mark {
        var value = [UInt8](repeating: 0, count: maximum)
        let count = latch_attribute(path, name, &value, maximum)
        if count > 0 { return .marked(String(validating: value[..<count], as: UTF8.self) ?? "") }
        if count < 0, errno == ENOENT || errno == ENOTDIR { return .noFile }
        if count < 0, errno == ERANGE { return .marked("") }
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG ? .unmarked : .noFile
    }

    /// When a file's bytes, name or attributes were last changed; nil when there is no file.
    ///
    /// A part's time may be set to that of its picture, so the later of the two times counts that the system keeps.
    ///
    /// Source: inode(7), `mtime` and `ctime`.
    public static func lastChange(of path: String) -> Date? {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        return Date(timeIntervalSince1970: Double(max(status.st_mtim.tv_sec, status.st_ctim.tv_sec)))
    }
}
