import CLibrary
import Crypto
import FoundationEssentials
import Primitives

/// Files that only one user can access: mode 0600 in a folder with mode 0700, always replaced atomically.
package enum PrivateFile {
    private static let maximumCount = 16 << 20

    /// Reads a file. Returns nil when it does not exist.
    ///
    /// - Throws: ``SecretStorageError/Code/damaged`` when it is not a regular file or has more than 16 MiB;
    ///   ``SecretStorageError/Code/denied`` or ``SecretStorageError/Code/io`` when it cannot be read.
    package static func read(_ path: String) throws(SecretStorageError) -> [UInt8]? {
        // Opening a FIFO would wait for its writer.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw failure("open", path)
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure("inspect", path) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw SecretStorageError(
                .damaged, "Could not read '\(path)': it is not a regular file. Restore it from a backup, or remove it.")
        }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        defer { wipe(&buffer) }
        while true {
            let count = CLibrary.read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failure("read", path) }
            if count == 0 { return bytes }
            bytes += buffer.prefix(count)
            guard bytes.count <= maximumCount else {
                throw SecretStorageError(.damaged, "Could not read '\(path)': it is larger than a sealed file can be.")
            }
        }
    }

    /// Replaces a file atomically: after a crash it has either the old or the new contents. The caller must hold the
    /// lock.
    ///
    /// Source: `rename(2)`, `fsync(2)`.
    package static func replace(_ path: String, with bytes: [UInt8]) throws(SecretStorageError) {
        let temporary = path + ".new"
        let descriptor = open(
            temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        guard descriptor >= 0 else { throw failure("create", temporary) }
        defer { close(descriptor) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failure("write", temporary) }
            rest = rest.dropFirst(count)
        }
        guard fchmod(descriptor, 0o600) == 0, fsync(descriptor) == 0 else { throw failure("write", temporary) }
        guard rename(temporary, path) == 0 else { throw failure("replace", path) }
        try syncFolder(in: folder(of: path))
    }

    /// Removes a file, if it exists. The removal is on disk when the function returns.
    package static func remove(_ path: String) throws(SecretStorageError) {
        guard unlink(path) == 0 || errno == ENOENT else { throw failure("remove", path) }
        try syncFolder(in: folder(of: path))
    }

    /// Synchronizes a folder to disk, so that new names in it survive a power failure.
    private static func syncFolder(in path: String) throws(SecretStorageError) {
        let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw failure("open", path) }
        defer { close(folder) }
        guard fsync(folder) == 0 else { throw failure("save", path) }
    }

    /// Runs `body` while holding an exclusive lock for the path, across processes and store values. The system releases
    /// the lock when the process ends.
    ///
    /// Source: `flock(2)`.
    static func withLock<Value>(
        _ path: String, _ body: () throws(SecretStorageError) -> Value
    ) throws(SecretStorageError) -> Value {
        try makeFolder(folder(of: path))
        let lock = path + ".lock"
        let descriptor = open(lock, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw failure("create", lock) }
        defer { close(descriptor) }
        // Closing the descriptor is not enough, because a child process holds a copy of it until its exec.
        defer { flock(descriptor, LOCK_UN) }
        let end = ContinuousClock.now + .seconds(20)
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EWOULDBLOCK || errno == EINTR else { throw failure("lock", lock) }
            guard ContinuousClock.now < end else {
                throw SecretStorageError(
                    .io, "Could not lock '\(lock)' within 20 seconds: stop the program that holds the lock.")
            }
            usleep(2_000)
        }
        return try body()
    }

    static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Creates a folder with mode 0700, and missing parent folders. They are on disk when the function returns.
    package static func makeFolder(_ path: String) throws(SecretStorageError) {
        let parent = folder(of: path)
        var isMade = mkdir(path, 0o700) == 0
        if !isMade, errno == ENOENT, parent != path {
            try makeFolder(parent)
            isMade = mkdir(path, 0o700) == 0
        }
        guard isMade || errno == EEXIST else { throw failure("create", path) }
        if isMade { try syncFolder(in: parent) }
    }

    /// Sets the mode of a folder, or of the one that a symbolic link leads to, to 0700. Refuses a folder that belongs to
    /// another user or to which others can write, because they could have put files of their own there.
    ///
    /// - Throws: ``SecretStorageError/Code/denied``, with the remedy; ``SecretStorageError/Code/io``.
    package static func protectFolder(_ path: String) throws(SecretStorageError) {
        var status = stat()
        guard stat(path, &status) == 0 else { throw failure("inspect", path) }
        guard status.st_uid == geteuid() else {
            throw SecretStorageError(
                .denied,
                "Could not use the folder '\(path)': it belongs to the user with uid \(status.st_uid), not to you. Give it "
                    + "to uid \(geteuid()) with chown, or choose another folder with XDG_DATA_HOME.")
        }
        guard status.st_mode & 0o022 == 0 else {
            throw SecretStorageError(
                .denied,
                "Could not use the folder '\(path)': others can write to it (mode "
                    + "\(String(status.st_mode & 0o777, radix: 8))). Check its files, then run: chmod 700 '\(path)'")
        }
        guard chmod(path, 0o700) == 0 else { throw failure("protect", path) }
    }

    static func failure(_ action: String, _ path: String) -> SecretStorageError {
        let number = errno
        let code: SecretStorageError.Code = number == EACCES || number == EPERM || number == ELOOP ? .denied : .io
        return SecretStorageError(code, "Could not \(action) '\(path)': \(String(cString: strerror(number))).")
    }
}
