import CLibrary
import CProcess

/// Opening and locking. A part has one owner at a time.
extension DownloadPart {
    /// Opens and locks the part. Between opening and locking, the former owner may have moved it to its destination.
    /// The lock is then on the finished file, and opening is repeated.
    ///
    /// - Parameters:
    ///   - path: The path of the part.
    ///   - making: 0 when the file must exist already. Otherwise ``createFlag`` or ``createExclusivelyFlag``.
    /// - Returns: The file descriptor and the size of the file in bytes.
    /// - Throws: ``TransportError``, also when another download has locked the part.
    static func open(_ path: String, _ making: Int32) throws(TransportError) -> (file: Int32, size: Int) {
        while true {
            let file = system_open(path, making)
            guard file >= 0 else { throw failure(path, .last) }
            guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
                let problem = SystemError.last
                system_close(file)
                throw lockFailure(path, problem)
            }
            var opened = stat()
            if isFile(file, stillAt: path, status: &opened) { return (file, Int(opened.st_size)) }
            system_close(file)
        }
    }

    /// Flag: creates the part if it does not exist.
    static let createFlag = O_CREAT
    /// Flag: creates the part, and fails if the file exists.
    static let createExclusivelyFlag = O_CREAT | O_EXCL

    private static func isFile(_ file: Int32, stillAt path: String, status opened: inout stat) -> Bool {
        var named = stat()
        return fstat(file, &opened) == 0 && lstat(path, &named) == 0
            && opened.st_ino == named.st_ino && opened.st_dev == named.st_dev
    }

    /// Returns the error for a failed lock.
    ///
    /// Source: flock(2), ERRORS; nfs(5), `local_lock`.
    private static func lockFailure(_ path: String, _ problem: SystemError) -> TransportError {
        if problem.number == EWOULDBLOCK {
            return TransportError(
                .file, "Could not download to '\(path)': another download is writing to it; wait until it ends.")
        }
        return TransportError(
            .file,
            "Could not download to '\(path)': files cannot be locked in that folder (\(problem)). Choose another folder, or "
                + "enable file locks on its file system, for NFS with the mount option 'local_lock=flock'.",
            cause: problem)
    }
}

private func system_open(_ path: String, _ flags: Int32) -> Int32 {
    // The folder may be shared. A symbolic link in it must not lead the download to another file.
    open(path, O_RDWR | flags | O_CLOEXEC | O_NOFOLLOW, 0o600)
}
