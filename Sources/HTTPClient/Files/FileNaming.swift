import CLibrary
import CProcess

/// A way to give a part its final name when no file with that name may exist. File systems differ in what they support.
///
/// Most file systems rename without replacing. Some network drives only link. FAT and many user space file systems
/// support neither. There, an empty file reserves the name first, because every file system creates a file exclusively.
/// The part is then renamed over it. A crash between the two steps leaves both, see
/// ``DownloadPart/removePlaceholder(_:of:)``.
///
/// Source: renameat2(2), `RENAME_NOREPLACE`; link(2), ERRORS; open(2), `O_EXCL`.
enum FileNaming {
    case byRenaming, byLinking, byPlaceholder

    /// Moves a part to its name. Returns the way that was used and the error, or nil for success.
    static func move(_ part: String, to name: String) -> (way: FileNaming, problem: SystemError?) {
        if latch_rename_new(part, name) == 0 { return (.byRenaming, nil) }
        // renameat2(2): EINVAL where the file system does not know the flag. ENOSYS where the system lacks the call.
        guard [EINVAL, ENOSYS, ENOTSUP].contains(errno) else { return (.byRenaming, .last) }
        if link(part, name) == 0 {
            unlink(part)
            return (.byLinking, nil)
        }
        // link(2): EPERM where there are no hard links. EMLINK where a file can have only one name.
        guard [EPERM, EACCES, EINVAL, ENOSYS, ENOTSUP, EMLINK].contains(errno) else { return (.byLinking, .last) }
        return (.byPlaceholder, replacePlaceholder(part, name))
    }

    static func removePlaceholder(_ path: String, of part: String) {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size == 0 else { return }
        // The names end with `.part`, so that the cleanup removes them after a crash.
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
        // Normally still this program's placeholder, because `O_EXCL` has created it.
        unlink(name)
        return problem
    }
}

extension DownloadPart {
    /// Removes the empty file that reserved a name for a part before a crash, so that the name is free again.
    ///
    /// The caller must have recorded that no file with the name existed. This function also checks that the file is
    /// empty, and tests whether the file system needs such placeholders. Where it does not, an empty file belongs to
    /// another program and is kept.
    ///
    /// - Parameters:
    ///   - path: The reserved name.
    ///   - part: The path of the part, in the same file system.
    package static func removePlaceholder(_ path: String, of part: String) {
        FileNaming.removePlaceholder(path, of: part)
    }
}
