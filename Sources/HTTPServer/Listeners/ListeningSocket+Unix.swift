import CLibrary
import CMicroHTTPD

extension ListeningSocket {
    /// Opens a Unix socket. Removes a stale socket file, but not a socket on which a process listens.
    ///
    /// A lock on `path.lock` keeps two servers apart that start at the same time. It is held until the server stops.
    /// The lock file is never removed, because otherwise a third server could lock a new file with the same name.
    ///
    /// Source: unix(7), flock(2).
    static func openUnix(
        _ listener: Listener, at path: String, mode: UInt32, count: Int
    ) throws(HTTPServerError) -> ListeningSocket {
        // Checked first, so that no lock file remains for a path that cannot be a socket's.
        guard SocketAddress.withUnix(path, { _, _ in }) != nil else {
            throw HTTPServerError.listening(on: listener, ENAMETOOLONG)
        }
        let lock = CLibrary.open(path + ".lock", O_CREAT | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard lock >= 0 else { throw HTTPServerError.listening(on: listener, errno) }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            _ = CLibrary.close(lock)
            throw HTTPServerError.listening(on: listener, EADDRINUSE)
        }
        let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = socket(AF_UNIX, type, 0)
        do throws(HTTPServerError) {
            guard descriptor >= 0 else { throw HTTPServerError.listening(on: listener, errno) }
            try removeStale(listener, path)
            try bindAndListen(descriptor, at: path, mode: mode, for: listener)
        } catch {
            if descriptor >= 0 { _ = CLibrary.close(descriptor) }
            _ = flock(lock, LOCK_UN)
            _ = CLibrary.close(lock)
            throw error
        }
        let copies = (1..<max(count, 1)).map { _ in fcntl(descriptor, F_DUPFD_CLOEXEC, 0) }
        return ListeningSocket(
            descriptors: [descriptor] + copies, address: .unix(path: path), file: SocketFile(path: path, lock: lock))
    }

    private static func bindAndListen(
        _ descriptor: Int32, at path: String, mode: UInt32, for listener: Listener
    ) throws(HTTPServerError) {
        // Linux gives the file the mode of the socket. The file is inaccessible at first and then gets the requested
        // mode.
        _ = fchmod(descriptor, 0)
        let result = SocketAddress.withUnix(path) { bind(descriptor, $0, $1) }
        let number = errno
        guard result == 0 else { throw HTTPServerError.listening(on: listener, number) }
        // Not chmod(2), which would follow a link that another user has put in the place of the socket.
        guard listen(descriptor, 1024) == 0, fchmodat(AT_FDCWD, path, mode, AT_SYMLINK_NOFOLLOW) == 0 else {
            let number = errno
            _ = unlink(path)
            throw HTTPServerError.listening(on: listener, number)
        }
    }

    private static func removeStale(_ listener: Listener, _ path: String) throws(HTTPServerError) {
        var status = stat()
        // Not stat(2), because a symbolic link must not be removed as if it were the socket.
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            throw HTTPServerError(
                .addressInUse, "Could not listen on \(listener): a file that is not a socket is there; move it away.",
                systemError: EADDRINUSE)
        }
        let probe = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
        let result = SocketAddress.withUnix(path) { connect(probe, $0, $1) }
        let number = errno
        _ = CLibrary.close(probe)
        // Only this error is trusted: EAGAIN, for example, means that the queue of a listener is full. See connect(2).
        guard let result, result != 0, number == ECONNREFUSED else {
            throw HTTPServerError.listening(on: listener, EADDRINUSE)
        }
        _ = unlink(path)
    }
}
