import Glibc

/// Who may do what with a file.
public struct FilePermissions: Sendable, Equatable {
    /// The nine bits of owner, group and others, as `chmod` takes them.
    public let bits: UInt32

    /// Asks for those of the file at a path, or of what it is linked to; nil when it cannot be asked.
    ///
    /// `FileManager` would tell them as a number whose type depends on whether the program has the whole of Foundation.
    public init?(path: String) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        bits = status.st_mode & 0o777
    }

    /// Whether any of these bits is set.
    public func allow(_ some: UInt32) -> Bool { bits & some != 0 }
}
