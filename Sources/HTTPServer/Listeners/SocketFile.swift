import CMicroHTTPD
import Glibc

/// A Unix socket's file and the lock that says whose it is.
struct SocketFile {
    private let path: String
    private let lock: Int32
    private let device: dev_t
    private let inode: ino_t

    init(path: String, lock: Int32) {
        var status = stat()
        _ = lstat(path, &status)
        self.path = path
        self.lock = lock
        device = status.st_dev
        inode = status.st_ino
    }

    /// Removes the file if it is still the one this server made, then gives up the lock.
    func remove() {
        var status = stat()
        if lstat(path, &status) == 0, status.st_dev == device, status.st_ino == inode { _ = unlink(path) }
        // Not by closing alone: a program being started at this moment holds a copy for some milliseconds.
        _ = flock(lock, LOCK_UN)
        _ = close(lock)
    }
}
