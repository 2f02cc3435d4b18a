import CLibrary

/// Prepares the database's file and folder before SQLite opens them.
enum DatabaseFile {
    /// Creates the file with mode 0600 and its folders with mode 0700 where they are missing. Leaves existing ones
    /// unchanged.
    ///
    /// SQLite gives its log and its shared memory the file's mode and owner. After a crash, the file either does not
    /// exist or is empty and usable.
    ///
    /// Source: `mknod(2)`, `mkdir(2)`, `fsync(2)`.
    static func prepare(_ path: String) throws(DatabaseError) {
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw DatabaseError(.cannotOpen, "Could not open '\(path)': this is not a valid path; specify a file.")
        }
        guard access(path, F_OK) != 0 else { return }
        let folder = self.folder(of: path)
        try makeFolder(folder, for: path)
        if PlatformCalls.createFile(path, mode: 0o600) != 0, errno != EEXIST { throw cannotMake("the file", path) }
        synchronize(folder)
    }

    /// Throws when this user may not write to the file and to the folder with its log, or not create what is missing of
    /// both. Changes nothing.
    ///
    /// Source: `access(2)`.
    static func requireWritable(_ path: String) throws(DatabaseError) {
        let exists = access(path, F_OK) == 0
        guard !exists || access(path, W_OK) == 0 else { throw notWritable(path) }
        var folder = folder(of: path)
        while access(folder, F_OK) != 0, folder != self.folder(of: folder) { folder = self.folder(of: folder) }
        guard access(folder, W_OK | X_OK) == 0 else {
            throw exists ? notWritable(path) : cannotMake("the file", path)
        }
    }

    private static func notWritable(_ path: String) -> DatabaseError {
        .sqlite(.readOnly, operation: .open, subject: "'\(path)'", systemError: .last)
    }

    /// Returns the path in a form in which SQLite sees no special name, such as `:memory:`.
    static func unambiguous(_ path: String) -> String {
        path.hasPrefix("/") ? path : "./" + path
    }

    private static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    private static func makeFolder(_ folder: String, for path: String) throws(DatabaseError) {
        guard access(folder, F_OK) != 0 else { return }
        let parent = self.folder(of: folder)
        if parent != folder { try makeFolder(parent, for: path) }
        if mkdir(folder, 0o700) != 0, errno != EEXIST { throw cannotMake("the folder '\(folder)'", path) }
        synchronize(parent)
    }

    /// Makes a new directory entry survive a power failure. Errors are ignored: where the system does not support this,
    /// nothing more can be done.
    private static func synchronize(_ folder: String) {
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }

    private static func cannotMake(_ what: String, _ path: String) -> DatabaseError {
        let cause = SystemError.last
        let isRefused = [EACCES, EPERM, EROFS].contains(cause.number)
        return DatabaseError(
            isRefused ? .readOnly : cause.number == ENOSPC || cause.number == EDQUOT ? .full : .cannotOpen,
            "Could not open '\(path)': \(what) could not be created (\(cause)); "
                + "check that uid \(getuid()) has write permission there, or choose another path.",
            cause: cause)
    }
}
