import FoundationEssentials

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The folder of one browser's profile, which nobody else may read, locked as long as somebody needs it.
final class BrowserProfile: Sendable {
    /// Where it is.
    let path: String
    /// The folder held open, with the lock; whoever inherits it holds the lock too.
    let descriptor: Int32

    /// Makes one in a folder of profiles.
    init(in folder: String) throws(DesktopError) {
        try Self.make(folder)
        for _ in 0..<8 {
            // mkdtemp(3) replaces the six letters at the end by others that make the name unique.
            var template = Array((folder + "/profile-" + String(repeating: "X", count: 6)).utf8CString)
            guard mkdtemp(&template) != nil else { break }
            let made = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
            // Another program may take it for one that was left, in the moment before it is locked.
            if let descriptor = Self.lock(made) {
                path = made
                self.descriptor = descriptor
                return
            }
        }
        throw DesktopError(
            .unsafeFolder, "Could not make a browser's profile in '\(folder)': \(String(cString: strerror(errno))).")
    }

    /// Takes one that nobody needs any more; nil for anything else.
    init?(abandoned path: String) {
        guard let descriptor = Self.lock(path) else { return nil }
        self.path = path
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }

    /// Writes a file of the profile.
    func write(_ text: String, to name: String) throws(DesktopError) {
        guard FileManager.default.createFile(atPath: path + "/" + name, contents: Data(text.utf8)) else {
            throw DesktopError(.unsafeFolder, "Could not write a browser's profile in '\(path)'.")
        }
    }

    /// Removes it with all that is in it.
    func remove() {
        // What the browser was still writing may come in between.
        for _ in 0..<20 {
            try? FileManager.default.removeItem(atPath: path)
            guard access(path, F_OK) == 0 else { return }
            poll(nil, 0, 50)
        }
    }

    private static func lock(_ path: String) -> Int32? {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        var (here, there) = (stat(), stat())
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, fstat(descriptor, &here) == 0, lstat(path, &there) == 0,
            here.st_ino == there.st_ino, here.st_dev == there.st_dev, here.st_uid == geteuid()
        else {
            close(descriptor)
            return nil
        }
        return descriptor
    }

    private static func make(_ folder: String) throws(DesktopError) {
        _ = mkdir(folder, 0o700)
        _ = try LinkFolder(folder, isMade: false)
    }
}
