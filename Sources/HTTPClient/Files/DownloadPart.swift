import CLibrary
import CProcess
import Crypto
import Dispatch
import FoundationEssentials
import Synchronization

/// An unfinished download: a file that grows next to its destination and is moved there only when it is complete.
///
/// The bytes are kept when a transfer breaks off, when the program ends and when it crashes, until
/// ``publish(as:modified:replacesExisting:)`` or ``remove()``. A lock prevents two downloads from writing to the same part.
/// The system releases it when its owner ends.
///
/// Source: DL-2; RFC 9110 §15.3.7.
package final class DownloadPart: @unchecked Sendable {  // one owner at a time: its opener or the transfer

    /// The path of the part.
    package let path: String
    var file: Int32?
    private var digest: InsecureSHA1?
    var isFlushed = false
    /// Small pieces that are buffered and written together.
    private var buffered: [UInt8] = []
    /// The error of an earlier write. No more bytes are accepted after it.
    private var problem: TransportError?
    /// The number of bytes in the file, without those in ``buffered``.
    var stored: Int
    private let written: Atomic<Int>
    private let announced = Atomic<Int>(-1)

    /// Opens a part, or creates an empty one that only this user can read.
    ///
    /// - Parameters:
    ///   - path: The path of the part.
    ///   - mustExist: Whether the part must already exist. When true, no empty part is created.
    /// - Throws: ``TransportError`` with code ``TransportError/Code/file``, ``TransportError/Code/fileRefused`` or
    ///   ``TransportError/Code/diskFull``; also when another download has locked the part.
    package init(path: String, mustExist: Bool = false) throws(TransportError) {
        self.path = path
        let (file, size) = try Self.open(path, mustExist ? 0 : Self.createFlag)
        self.file = file
        stored = size
        written = Atomic(size)
    }

    /// Creates an empty part with an unused, random name next to its destination.
    ///
    /// - Throws: The errors of ``init(path:mustExist:)``.
    package init(newBeside path: String) throws(TransportError) {
        self.path = path + "." + String(UInt64.random(in: .min ... .max), radix: 36) + ".part"
        file = try Self.open(self.path, Self.createExclusivelyFlag).file
        stored = 0
        written = Atomic(0)
    }

    deinit { close() }

    /// The number of bytes in the part, including those that a running transfer has not written yet.
    package var count: Int { written.load(ordering: .relaxed) }

    /// The length in bytes above which the file is refused, announced or received. Nil: any length. Set it before the
    /// transfer starts.
    package var maximumCount: Int?

    /// The total number of bytes that the server announced. Nil when it did not.
    package var total: Int? {
        let total = announced.load(ordering: .relaxed)
        return total < 0 ? nil : total
    }

    /// Starts hashing the valid existing bytes and those that follow.
    ///
    /// Without this call, nothing is hashed. Reads the file outside the shared thread pool.
    ///
    /// - Parameter count: The number of valid bytes at the beginning of the part.
    /// - Throws: ``TransportError`` when they cannot be read.
    package func beginDigest(of count: Int) async throws {
        guard count > 0 else { return digest = InsecureSHA1() }
        try await Self.blocking { [self] in
            try store()
            digest = InsecureSHA1()
            var chunk = [UInt8](repeating: 0, count: 1 << 20)
            var offset = 0
            while offset < count, let file {
                let size = min(chunk.count, count - offset)
                let got = pread(file, &chunk, size, off_t(offset))
                if got < 0, errno == EINTR { continue }
                guard got > 0 else { throw Self.failure(path, got < 0 ? .last : SystemError(number: EIO)) }
                chunk.withUnsafeBytes { digest?.update(UnsafeRawBufferPointer(rebasing: $0[..<got])) }
                offset += got
            }
        }
    }

    /// Returns the SHA-1 of all bytes if ``beginDigest(of:)`` was called. Later calls return nil.
    package func finishDigest() -> [UInt8]? {
        guard let digest = digest.take() else { return nil }
        return digest.finish()
    }

    /// Removes the part.
    package func remove() {
        guard file != nil else { return }
        buffered = []
        // While the lock is held, so that another download cannot lock a part that is about to be removed.
        unlink(path)
        close()
    }

    /// Closes and unlocks the part. Its bytes are kept.
    package func close() {
        guard let file else { return }
        try? store()
        // Unlocked explicitly, because a program that is being started may have a copy of the descriptor for a moment.
        flock(file, LOCK_UN)
        system_close(file)
        self.file = nil
    }

    /// Returns how many bytes this user may still write to the file system of a folder, or nil when it is not known.
    ///
    /// Source: statvfs(3), `f_bavail`.
    package static func freeBytes(in folder: String) -> Int? {
        var status = statvfs()
        guard statvfs(folder, &status) == 0 else { return nil }
        // A file system with a limited number of files may have free bytes but no room for another file.
        if status.f_files > 0, status.f_favail == 0 { return 0 }
        return Int(
            clamping: UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize)).partialValue)
    }

    /// Returns the size of a file in bytes, or nil when it does not exist. A symbolic link is not followed.
    ///
    /// Source: lstat(2).
    package static func size(of path: String) -> Int? {
        var status = stat()
        return lstat(path, &status) == 0 ? Int(status.st_size) : nil
    }

    /// Returns whether two paths refer to the same file.
    package static func isSameFile(_ one: String, _ other: String) -> Bool {
        var first = stat()
        var second = stat()
        return lstat(one, &first) == 0 && lstat(other, &second) == 0
            && first.st_ino == second.st_ino && first.st_dev == second.st_dev
    }

    // MARK: - While a transfer runs, on its thread

    /// The size of the write buffer. A slow network delivers pieces of one or two packets.
    private static let bufferSize = 64 << 10
    /// The size from which a piece is written directly. A fast network delivers such pieces, and copying them costs
    /// more than a write.
    private static let largePiece = 8 << 10

    /// Removes all bytes from `offset` on, and sets the announced total.
    func begin(at offset: Int, total: Int?) throws(TransportError) {
        guard let file else { return }
        try check(total ?? 0)
        isFlushed = false
        (buffered, problem) = ([], nil)
        // Most parts are new and empty.
        if offset > 0 || stored > 0 {
            // Not truncated to its current size, because some user space file systems refuse that.
            guard offset == stored || ftruncate(file, off_t(offset)) == 0,
                lseek(file, off_t(offset), SEEK_SET) == off_t(offset)
            else {
                throw Self.failure(path, .last)
            }
        }
        // The digest may cover bytes of an old part, when the whole file came although a range was requested.
        if offset == 0, digest != nil { digest = InsecureSHA1() }
        stored = offset
        written.store(offset, ordering: .relaxed)
        announced.store(total ?? -1, ordering: .relaxed)
    }

    /// Appends bytes. Some of them may be buffered until ``store()``.
    func append(_ bytes: UnsafeRawBufferPointer) throws(TransportError) {
        guard file != nil else { return }
        if let problem { throw problem }
        try check(count + bytes.count)
        isFlushed = false
        digest?.update(bytes)
        if bytes.count < Self.largePiece, buffered.count + bytes.count <= Self.bufferSize {
            buffered.append(contentsOf: bytes)
            written.store(stored + buffered.count, ordering: .relaxed)
            if buffered.count == Self.bufferSize { try store(expectsMore: true) }
        } else {
            try store(expectsMore: true)
            try write(bytes)
        }
    }

    private func check(_ length: Int) throws(TransportError) {
        guard let maximumCount, length > maximumCount else { return }
        throw TransportError(
            .tooLarge,
            "The received file is not the one that the server describes: it is larger than \(maximumCount) bytes. Ask "
                + "the owner of the file.")
    }

    /// Writes the buffered bytes. Keeps the capacity of the buffer only when more bytes are expected, because many
    /// finished parts may wait to be published.
    func store(expectsMore: Bool = false) throws(TransportError) {
        if let problem { throw problem }
        defer { buffered.removeAll(keepingCapacity: expectsMore) }
        guard !buffered.isEmpty else { return }
        try buffered.withUnsafeBytes { bytes in Result { () throws(TransportError) in try write(bytes) } }.get()
    }

    private func write(_ bytes: UnsafeRawBufferPointer) throws(TransportError) {
        guard let file else { return }
        defer { written.store(stored, ordering: .relaxed) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = UnsafeRawBufferPointer(rebasing: rest)
            let count = system_write(file, piece)
            if count >= 0 {
                rest = rest.dropFirst(count)
                stored += count
            } else if errno != EINTR {
                let failure = Self.failure(path, .last)
                problem = failure
                throw failure
            }
        }
    }
}

/// Calls the system's `write`, which is hidden by a method with that name.
private func system_write(_ file: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(file, bytes.baseAddress, bytes.count)
}

/// Calls the system's `close`, which is hidden by methods with that name.
func system_close(_ file: Int32) { _ = close(file) }

/// Makes the memory that one thread wrote before `release` visible to another thread after `acquire`.
private final class MemoryOrder: Sendable {
    private let lock = Mutex(())

    func release() { lock.withLock { _ in } }
    func acquire() { lock.withLock { _ in } }
}

extension DownloadPart {
    static func blocking<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        // The effects of `body` are visible after the await. In Swift 6.3, the thread sanitizer misses that order for
        // some continuations for which an actor's task waits, so a lock establishes it as well.
        let order = MemoryOrder()
        defer { order.acquire() }
        return try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Value, any Error>) in
            DispatchQueue.global().async {
                let result = Result { try body() }
                order.release()
                continuation.resume(with: result)
            }
        }
    }

    static func failure(_ path: String, _ problem: SystemError) -> TransportError {
        let (code, remedy): (TransportError.Code, String) =
            switch problem.number {
            case ENOSPC, EDQUOT: (.diskFull, "free some space there, then continue.")
            case EACCES, EPERM, EROFS:
                (.fileRefused, "give this user write permission for '\(folder(of: path))', or choose another folder.")
            case EEXIST: (.fileExists, "choose another name, or move that file away.")
            case ENAMETOOLONG: (.file, "that disk does not allow names of this length; choose another disk.")
            case EFBIG: (.file, "that disk does not allow files of this size; choose another disk.")
            default: (.file, "check the folder and the free space.")
            }
        return TransportError(
            code, "Could not write the download to '\(path)': \(problem); \(remedy)", cause: problem)
    }
}
