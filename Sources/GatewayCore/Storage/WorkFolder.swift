import CLibrary
import Crypto
import FoundationEssentials

/// A folder with mode 0700 for the database file of one command, beside the file that the command reads or writes.
///
/// The command holds a lock on its folder. A killed command leaves the folder without a lock, so the next one with the
/// same name can remove it and nothing else. Other users cannot replace the folder: it is only created in a folder that
/// belongs to this user or root, and in which others may not write, or only with the sticky bit.
///
/// Source: mkdir(2); flock(2); inode(7), "sticky bit"; unlinkat(2).
struct WorkFolder {
    /// The name of the database file in the folder.
    private static let fileName = "latchd.db"
    /// The number of random characters in the name of the folder.
    private static let randomLength = 8
    /// The number of attempts to create a folder that another command removes before it is locked.
    private static let tries = 8

    /// The path of the folder.
    let path: String
    private let descriptor: Int32

    /// The path of the database file in the folder.
    var file: String { "\(path)/\(Self.fileName)" }

    private init(path: String, descriptor: Int32) {
        self.path = path
        self.descriptor = descriptor
    }

    /// Creates the folder `NAME.RANDOM.part`, and removes those that killed commands left with the same name.
    ///
    /// - Parameters:
    ///   - name: The path before the random characters.
    ///   - act: What the command does, for messages: a verb and its object.
    /// - Throws: ``GatewayError/Code/file``, also when other users could replace the folder.
    init(_ name: String, to act: String) throws(GatewayError) {
        try ParentFolder.requireOwn(of: name, allowsSticky: true, to: act)
        Self.removeAbandoned(name)
        for _ in 0..<Self.tries {
            let path = "\(name).\(Base64URL.encode(SecureRandom.bytes(Self.randomLength * 3 / 4))).part"
            // Fails if there is anything with this name, also a symbolic link.
            guard unsafe mkdir(path, 0o700) == 0 else {
                let error = errno
                throw GatewayError(
                    .file,
                    "Could not \(act): a folder cannot be created in '\(ParentFolder.path(of: path))' "
                        + "(\(unsafe String(cString: strerror(error)))); check that it exists, that it is a folder and "
                        + "that this user (uid \(getuid())) may write to it.")
            }
            // Nil when another command took it for an abandoned one before it was locked.
            if let descriptor = Self.lock(path) {
                self.init(path: path, descriptor: descriptor)
                return
            }
        }
        throw GatewayError(
            .file,
            "Could not \(act): another program removes folders in '\(ParentFolder.path(of: name))'; find out which one."
        )
    }

    /// Gives the database file a second name, which must be free. Unlike a renaming, this neither replaces a file nor
    /// follows a symbolic link.
    ///
    /// - Parameter path: The new name.
    /// - Returns: 0, or the number of the error.
    func linkFile(to path: String) -> Int32 {
        unsafe linkat(descriptor, Self.fileName, AT_FDCWD, path, 0) == 0 ? 0 : errno
    }

    /// Removes the files of the database and, if nothing else is in it, the folder. Call it once.
    func remove() {
        for suffix in ["", "-wal", "-shm", "-journal"] { unsafe unlinkat(descriptor, Self.fileName + suffix, 0) }
        unsafe rmdir(path)
        close(descriptor)
    }

    /// Removes the folders that killed commands left. Leaves everything else with a similar name.
    static func removeAbandoned(_ name: String) {
        let folder = ParentFolder.path(of: name)
        let start = name.split(separator: "/").last.map { "\($0)." } ?? ""
        for entry in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
            guard entry.hasPrefix(start), entry.hasSuffix(".part"),
                entry.utf8.count == start.utf8.count + randomLength + ".part".utf8.count,
                let descriptor = lock("\(folder)/\(entry)", requiresLock: true)
            else { continue }
            WorkFolder(path: "\(folder)/\(entry)", descriptor: descriptor).remove()
        }
    }

    /// Opens and locks a folder. Nil when it is not one, when another command has locked it, or when it was removed
    /// meanwhile. If `requiresLock`, also nil when it belongs to another user, or when the file system has no locks for
    /// folders.
    private static func lock(_ path: String, requiresLock: Bool = false) -> Int32? {
        let descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        let isLocked = flock(descriptor, LOCK_EX | LOCK_NB) == 0
        let isTaken = !isLocked && (requiresLock || errno == EWOULDBLOCK)
        var status = stat()
        guard !isTaken, unsafe fstat(descriptor, &status) == 0, status.st_nlink > 0,
            !requiresLock || status.st_uid == geteuid()
        else {
            close(descriptor)
            return nil
        }
        return descriptor
    }
}
