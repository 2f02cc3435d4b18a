import CProcess

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// How a part gets a file's name where nothing may be yet: what file systems can differs.
///
/// Most rename without replacing. Some network drives only link, and FAT and many drives of user space do neither: there an
/// empty file takes the name first, which every file system gives only once, and the part is renamed over it. A crash between
/// the two leaves both, see ``DownloadPart/removePlaceholder(_:of:)``.
///
/// Source: renameat2(2), `RENAME_NOREPLACE`; link(2), ERRORS; open(2), `O_EXCL`.
enum FileNaming {
    case byRenaming, byLinking, byPlaceholder

    /// Brings a part to its name: by what, and why that could not be, if so.
    static func move(_ part: String, to name: String) -> (way: FileNaming, problem: SystemError?) {
        if latch_rename_new(part, name) == 0 { return (.byRenaming, nil) }
        guard [EINVAL, ENOSYS, ENOTSUP].contains(errno) else { return (.byRenaming, .last) }
        if link(part, name) == 0 {
            unlink(part)
            return (.byLinking, nil)
        }
        guard [EPERM, EACCES, EINVAL, ENOSYS, ENOTSUP, EMLINK].contains(errno) else { return (.byLinking, .last) }
        return (.byPlaceholder, replacePlaceholder(part, name))
    }

    static func removePlaceholder(_ path: String, of part: String) {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size == 0 else { return }
        let (old, new) = (part + ".tried.part", part + ".try.part")
        let file = open(old, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { return }
        close(file)
        let (way, problem) = move(old, to: new)
        unlink(old)
        unlink(new)
        if way == .byPlaceholder, problem == nil { unlink(path) }
    }

    private static func replacePlaceholder(_ part: String, _ name: String) -> SystemError? {
        let file = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { return .last }
        close(file)
        guard rename(part, name) != 0 else { return nil }
        let problem = SystemError.last
        unlink(name)
        return problem
    }
}

extension DownloadPart {
    /// Removes an empty file that took a name for a part before a crash, so that the name is free for it again.
    ///
    /// Whether it is one is told by the caller, who noted the name when nothing was there, by its having no bytes, and by the file
    /// system, which is tried: on those that need none an empty file is somebody else's, and stays.
    ///
    /// - Parameters:
    ///   - path: The name.
    ///   - part: The part, in the same file system.
    public static func removePlaceholder(_ path: String, of part: String) {
        FileNaming.removePlaceholder(path, of: part)
    }
}
