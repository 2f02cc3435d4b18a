import CLibrary

/// The permission bits of a file.
package struct FilePermissions: Sendable, Equatable {
    /// The nine bits for the owner, the group and others, as `chmod` uses them.
    package let bits: UInt32

    /// Reads the permissions of the file at a path, following symbolic links. Returns nil when they cannot be read.
    ///
    /// `FileManager` is not used, because it returns a number whose type depends on whether the program links all of
    /// Foundation.
    package init?(path: String) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        bits = status.st_mode & 0o777
    }

    /// Whether any of these bits is set.
    package func allow(_ some: UInt32) -> Bool { bits & some != 0 }
}
