import CLibrary
import CMicroHTTPD

/// The file of a Unix socket, and the lock that reserves it for one server.
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

    /// Removes the file if this server created it, and then releases the lock.
    func remove() {
        var status = stat()
        if lstat(path, &status) == 0, status.st_dev == device, status.st_ino == inode { _ = unlink(path) }
        // Unlocked explicitly, because a program that is being started has a copy of the descriptor for some
        // milliseconds.
        _ = flock(lock, LOCK_UN)
        _ = close(lock)
    }
}
