import CLibrary
import FoundationEssentials

/// A browser profile folder that only this user can read. It is locked while it is in use.
final class BrowserProfile: Sendable {
    /// The path of the folder.
    let path: String
    /// The open descriptor of the folder, which holds the lock. A process that inherits it holds the lock too.
    let descriptor: Int32

    /// Creates a profile in a folder of profiles.
    init(in folder: String) throws(DesktopError) {
        try Self.make(folder)
        for _ in 0..<8 {
            // mkdtemp(3) replaces the six letters at the end with a unique suffix.
            var template = Array((folder + "/profile-" + String(repeating: "X", count: 6)).utf8CString)
            guard mkdtemp(&template) != nil else { break }
            let made = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
            // Before it is locked, another process may take the new profile for an abandoned one.
            if let descriptor = Self.lock(made) {
                path = made
                self.descriptor = descriptor
                return
            }
        }
        throw DesktopError(
            .unsafeFolder, "Could not create a browser profile in '\(folder)': \(String(cString: strerror(errno))).")
    }

    /// Takes over an abandoned profile. Returns nil when the path is in use or is not a profile of this user.
    init?(abandoned path: String) {
        guard let descriptor = Self.lock(path) else { return nil }
        self.path = path
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }

    /// Writes a file to the profile.
    func write(_ text: String, to name: String) throws(DesktopError) {
        guard FileManager.default.createFile(atPath: path + "/" + name, contents: Data(text.utf8)) else {
            throw DesktopError(.unsafeFolder, "Could not write a browser profile in '\(path)'.")
        }
    }

    /// Removes the profile and its contents.
    func remove() {
        // Repeated, because the browser may still be writing files.
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
