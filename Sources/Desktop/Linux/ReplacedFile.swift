import CLibrary
import FoundationEssentials

/// A small file that is replaced as a whole, and that only its owner can read unless ``keepsMode`` is set.
///
/// The new contents are first in a file with the ending `.new`, which no desktop reads. A program that is killed leaves at
/// most this file, and the next ``write(_:)`` or ``remove()`` of any program uses or removes it.
struct ReplacedFile {
    private let path: String
    /// Whether the permissions of an existing file are kept.
    private let keepsMode: Bool
    private var new: String { path + ".new" }

    /// Describes a file, which need not exist.
    init(_ path: String, keepsMode: Bool = false) { (self.path, self.keepsMode) = (path, keepsMode) }

    /// Replaces the contents, and makes missing folders.
    ///
    /// - Throws: ``DesktopError/Code/cannotWrite``.
    ///
    /// Source: rename(2), fsync(2).
    func write(_ text: String) throws(DesktopError) {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
        try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = openLocked()
        guard file >= 0 else { throw failure }
        defer { close(file) }
        let bytes = Array(text.utf8)
        var existing = stat()
        if keepsMode, stat(path, &existing) == 0 { fchmod(file, existing.st_mode & 0o777) }
        guard ftruncate(file, 0) == 0, CLibrary.write(file, bytes, bytes.count) == bytes.count, fsync(file) == 0,
            rename(new, path) == 0
        else { throw failure }
    }

    /// Removes the file, if it exists.
    func remove() {
        for path in [new, path] { unlink(path) }
    }

    /// Opens the file with the new contents, so that no other program writes it at the same time.
    private func openLocked() -> Int32 {
        while true {
            let file = open(new, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
            guard file >= 0 else { return file }
            while flock(file, LOCK_EX) != 0 {
                guard errno == EINTR else {
                    close(file)
                    return -1
                }
            }
            // The program that had the lock may have renamed the file.
            var (opened, named) = (stat(), stat())
            if fstat(file, &opened) == 0, lstat(new, &named) == 0, opened.st_ino == named.st_ino { return file }
            close(file)
        }
    }

    private var failure: DesktopError {
        DesktopError(.cannotWrite, "Could not write '\(path)'. Check that you own its folder.")
    }
}
