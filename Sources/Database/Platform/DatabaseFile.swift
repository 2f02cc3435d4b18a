#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// The database's file and folder before SQLite opens them.
enum DatabaseFile {
    /// Makes the file with mode 0600 and its folders with mode 0700 where they are missing; changes none that exist.
    ///
    /// SQLite gives its log and its shared memory the file's mode and owner. After a crash the file is there, empty
    /// and ready, or not there.
    ///
    /// Source: `mknod(2)`, `mkdir(2)`, `fsync(2)`.
    static func prepare(_ path: String) throws(DatabaseError) {
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw DatabaseError(.cannotOpen, "Could not open '\(path)': this is no path; name a file.")
        }
        guard access(path, F_OK) != 0 else { return }
        let folder = self.folder(of: path)
        try makeFolder(folder, for: path)
        if make(path) != 0, errno != EEXIST { throw cannotMake("the file", path) }
        synchronize(folder)
    }

    /// The path in a form in which SQLite finds no special meaning, as it would in `:memory:`.
    static func unambiguous(_ path: String) -> String {
        path.hasPrefix("/") ? path : "./" + path
    }

    #if canImport(Darwin)
        /// Untested. `mknod(2)` is for the superuser there, so a lock taken through another descriptor of this process
        /// between the two calls would be lost.
        private static func make(_ path: String) -> Int32 {
            let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            return descriptor < 0 ? -1 : close(descriptor)
        }
    #else
        /// Makes the file without opening it: closing any descriptor of a file drops all locks that this process has on
        /// it, also those of another connection (fcntl(2), "Advisory record locking").
        private static func make(_ path: String) -> Int32 {
            mknod(path, S_IFREG | 0o600, 0)
        }
    #endif

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

    /// Makes a new name in a folder survive a loss of power; where the system cannot, it is as safe as it gets.
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
            "Could not open '\(path)': \(what) could not be made (\(cause)); "
                + "check that uid \(getuid()) may write there, or choose another path.",
            cause: cause)
    }
}
