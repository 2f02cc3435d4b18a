import Dispatch

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A file under way: written beside its place under the name `PATH.part`, and moved there when it is whole.
///
/// Until ``publish()`` the file at the path is what it was before; without it, the part is removed with its owner. A
/// crash leaves the part, which the next download to the same path takes over. A lock keeps two downloads apart.
final class PartialFile: @unchecked Sendable {  // One owner at a time: the loop, then the task that publishes.
    private let path: String
    private var file: Int32?
    private var partPath: String { path + ".part" }

    init(path: String) throws(TransportError) {
        self.path = path
        file = try Self.openPart(path + ".part", for: path)
    }

    deinit { discard() }

    func append(_ bytes: UnsafeRawBufferPointer) throws(TransportError) {
        guard let file else { return }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = write(file, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                throw Self.failure(path, SystemError.last)
            }
        }
    }

    /// Removes what was written; does nothing once published.
    func discard() {
        guard let file else { return }
        unlink(partPath)
        close(file)
        self.file = nil
    }

    /// Brings the bytes to the disk and the file to its place. Waiting for the disk happens off the shared threads.
    func publish() async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            DispatchQueue.global().async {
                continuation.resume(with: Result { try self.publishNow() })
            }
        }
    }

    private func publishNow() throws(TransportError) {
        guard let file else { return }
        guard fsync(file) == 0, rename(partPath, path) == 0 else {
            let problem = SystemError.last
            discard()
            throw Self.failure(path, problem)
        }
        close(file)
        self.file = nil
        keepName()
    }

    /// Makes the new name survive a loss of power. The file is whole and in its place: where a folder cannot be flushed,
    /// that is no failure.
    private func keepName() {
        let slash = path.lastIndex(of: "/")
        let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }

    /// Opens and locks the part. Between opening and locking, its former owner may have moved it to its place: then
    /// the lock is on the finished file, and it is tried again.
    private static func openPart(_ part: String, for path: String) throws(TransportError) -> Int32 {
        while true {
            let file = open(part, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o666)
            guard file >= 0 else { throw failure(path, .last) }
            guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
                close(file)
                throw TransportError(
                    .file, "Could not download to '\(path)': another download is writing it; wait for that one to end.")
            }
            guard isSameFile(file, part) else {
                close(file)
                continue
            }
            guard ftruncate(file, 0) == 0 else {
                let problem = SystemError.last
                close(file)
                throw failure(path, problem)
            }
            return file
        }
    }

    private static func isSameFile(_ file: Int32, _ path: String) -> Bool {
        var opened = stat()
        var named = stat()
        return fstat(file, &opened) == 0 && lstat(path, &named) == 0
            && opened.st_ino == named.st_ino && opened.st_dev == named.st_dev
    }

    private static func failure(_ path: String, _ problem: SystemError) -> TransportError {
        TransportError(
            .file, "Could not write the download to '\(path)': \(problem); check the folder and the free space.",
            cause: problem)
    }
}
