import CProcess
import Crypto
import Dispatch
public import FoundationEssentials
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A file under way: bytes that grow beside the place they are meant for, and become a file there only when they are whole.
///
/// What is written stays when a transfer breaks off, when the program ends and when it crashes, until ``publish(as:modified:isReplacing:)``
/// or ``remove()``. A lock that dies with its holder keeps two downloads of one part apart.
///
/// Source: DL-2; RFC 9110 §15.3.7.
public final class DownloadPart: @unchecked Sendable {  // one owner at a time: its opener or the transfer

    /// Where the part is.
    public let path: String
    var file: Int32?
    private var digest: InsecureSHA1?
    private var isFlushed = false
    /// Small pieces that wait to be written together.
    private var gathered: [UInt8] = []
    /// Why bytes that came could not be written: no more are taken then.
    private var problem: TransportError?
    /// How many bytes are in the file.
    private var stored: Int
    private let written: Atomic<Int>
    private let announced = Atomic<Int>(-1)

    /// Opens a part, or makes an empty one that only this user can read.
    ///
    /// - Parameters:
    ///   - path: Where it is, or is to be.
    ///   - isThere: Whether it must be there already: an empty one is not made then.
    /// - Throws: ``TransportError`` with code ``TransportError/Code/file``, ``TransportError/Code/fileRefused`` or
    ///   ``TransportError/Code/diskFull``; also when another download holds it.
    public init(path: String, isThere: Bool = false) throws(TransportError) {
        self.path = path
        let (file, size) = try Self.open(path, isThere)
        self.file = file
        stored = size
        written = Atomic(size)
    }

    deinit { close() }

    /// How many bytes are there; while a transfer runs, with those that it is about to write.
    public var count: Int { written.load(ordering: .relaxed) }

    /// How many there will be, where a server told.
    public var total: Int? {
        let total = announced.load(ordering: .relaxed)
        return total < 0 ? nil : total
    }

    /// Begins to hash what is there and what will come.
    ///
    /// Without it nothing is hashed. Reading happens off the shared threads.
    ///
    /// - Parameter count: How many of the bytes are good.
    /// - Throws: ``TransportError`` when they cannot be read.
    public func beginDigest(of count: Int) async throws {
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

    /// The SHA-1 of all bytes, where ``beginDigest(of:)`` was called; only once.
    public func takeDigest() -> [UInt8]? {
        guard let digest = digest.take() else { return nil }
        return digest.finish()
    }

    /// Brings the bytes to the disk, off the shared threads.
    ///
    /// - Parameter modified: The time that the file shall have; nil leaves the present.
    /// - Throws: ``TransportError`` as ``init(path:isThere:)``.
    public func flush(modified: Date? = nil) async throws {
        try await Self.blocking { [self] in
            guard let file else { return }
            try store()
            if let modified { Self.setTime(modified, of: file) }
            guard fsync(file) == 0 else { throw Self.failure(path, .last) }
            isFlushed = true
        }
    }

    /// Brings the bytes to the disk and the part to its place, where nothing may be yet.
    ///
    /// - Parameters:
    ///   - destination: The file's path, in the same file system.
    ///   - modified: The time that the file shall have; nil leaves the present.
    ///   - isReplacing: Whether a file that is there gives way.
    /// - Throws: ``TransportError``; with code ``TransportError/Code/fileExists`` when something is there. The part stays.
    public func publish(as destination: String, modified: Date? = nil, isReplacing: Bool = false) async throws {
        try await Self.blocking { [self] in
            guard let file else { return }
            try store()
            if let modified { Self.setTime(modified, of: file) }
            guard isFlushed && modified == nil || fsync(file) == 0 else { throw Self.failure(destination, .last) }
            try Self.move(path, destination, isReplacing)
            close()
            Self.keepNames(beside: destination)
        }
    }

    /// Brings the bytes of many parts to the disk, off the shared threads.
    ///
    /// The disk is told of all before any is waited for: of 1,000 files of 100 kB on ext4 one thread brings all to the disk in
    /// 0.5 s so, as do eight that wait for one each; one that waits for each in turn takes 1.2 s.
    ///
    /// - Parameters:
    ///   - parts: The parts, each with the time that its file shall have; nil leaves the present.
    ///   - prepare: Done with each first, by its place among the parts.
    /// - Returns: For each what went wrong, if anything did.
    ///
    /// Source: sync_file_range(2), which begins to write and promises nothing; fsync(2).
    public static func flush(
        _ parts: [(part: DownloadPart, modified: Date?)], prepare: @escaping @Sendable (Int) -> Void = { _ in }
    ) async -> [TransportError?] {
        await FlushThread.run {
            for (index, entry) in parts.enumerated() {
                guard let file = entry.part.file else { continue }
                prepare(index)
                if let modified = entry.modified { setTime(modified, of: file) }
                if parts.count > 1 { latch_begin_flush(file) }
            }
            return parts.map { entry -> TransportError? in
                guard let file = entry.part.file else { return nil }
                do throws(TransportError) { try entry.part.store() } catch { return error }
                guard fsync(file) == 0 else { return failure(entry.part.path, .last) }
                entry.part.isFlushed = true
                return nil
            }
        }
    }

    /// Brings many flushed parts to their places, where nothing may be yet; then their new names to the disk.
    ///
    /// - Parameter moves: The parts, and the files' paths in the same file system.
    /// - Returns: For each what went wrong, if anything did; with code ``TransportError/Code/fileExists`` something is there,
    ///   and the part stays.
    public static func publish(_ moves: [(part: DownloadPart, path: String)]) async -> [TransportError?] {
        await FlushThread.run {
            var folders: [String: String] = [:]
            let failures = moves.map { entry -> TransportError? in
                do throws(TransportError) {
                    try move(entry.part.path, entry.path, false)
                } catch {
                    return error
                }
                entry.part.close()
                folders[String(entry.path[..<(entry.path.lastIndex(of: "/") ?? entry.path.startIndex)])] = entry.path
                return nil
            }
            for path in folders.values { keepNames(beside: path) }
            return failures
        }
    }

    /// Removes the part.
    public func remove() {
        guard file != nil else { return }
        gathered = []
        unlink(path)
        close()
    }

    /// Lets go of the part; what it holds stays.
    public func close() {
        guard let file else { return }
        try? store()
        _ = system_close(file)
        self.file = nil
    }

    /// How many bytes this user may still write to a folder's file system; nil where the system does not tell.
    ///
    /// Source: statvfs(3), `f_bavail`.
    public static func freeBytes(in folder: String) -> Int? {
        var status = statvfs()
        guard statvfs(folder, &status) == 0 else { return nil }
        // A file system that counts its files may have bytes, and no room for one file more.
        if status.f_files > 0, status.f_favail == 0 { return 0 }
        return Int(
            clamping: UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize)).partialValue)
    }

    /// Whether two paths are names of one file.
    public static func isSameFile(_ one: String, _ other: String) -> Bool {
        var first = stat()
        var second = stat()
        return lstat(one, &first) == 0 && lstat(other, &second) == 0
            && first.st_ino == second.st_ino && first.st_dev == second.st_dev
    }

    // MARK: - While a transfer runs, on its thread

    /// Pieces are gathered to so many bytes: a slow network brings them in parts of a packet or two.
    private static let gatheredSize = 64 << 10
    /// From here on a piece is written as it came: a fast network brings them so, and copying costs more than writing then.
    private static let largePiece = 8 << 10

    /// Drops everything from `offset` on, and says how long the whole will be.
    func begin(at offset: Int, total: Int?) throws(TransportError) {
        guard let file else { return }
        isFlushed = false
        (gathered, problem) = ([], nil)
        // Most are new and empty.
        if offset > 0 || stored > 0 {
            // A truncation to the length that it has is refused by some drives of user space.
            guard offset == stored || ftruncate(file, off_t(offset)) == 0,
                lseek(file, off_t(offset), SEEK_SET) == off_t(offset)
            else {
                throw Self.failure(path, .last)
            }
        }
        if offset == 0, digest != nil { digest = InsecureSHA1() }
        stored = offset
        written.store(offset, ordering: .relaxed)
        announced.store(total ?? -1, ordering: .relaxed)
    }

    /// Puts bytes to the end, some of them perhaps not before ``store()``.
    func append(_ bytes: UnsafeRawBufferPointer) throws(TransportError) {
        guard file != nil else { return }
        if let problem { throw problem }
        isFlushed = false
        digest?.update(bytes)
        if bytes.count < Self.largePiece, gathered.count + bytes.count <= Self.gatheredSize {
            gathered.append(contentsOf: bytes)
            written.store(stored + gathered.count, ordering: .relaxed)
            if gathered.count == Self.gatheredSize { try store(expectsMore: true) }
        } else {
            try store(expectsMore: true)
            try write(bytes)
        }
    }

    /// Writes what is gathered. Its room is kept where more is to come: many parts may wait for their places.
    func store(expectsMore: Bool = false) throws(TransportError) {
        if let problem { throw problem }
        defer { gathered.removeAll(keepingCapacity: expectsMore) }
        guard !gathered.isEmpty else { return }
        try gathered.withUnsafeBytes { bytes in Result { () throws(TransportError) in try write(bytes) } }.get()
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

/// The system's `write`, which the method of that name hides.
private func system_write(_ file: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(file, bytes.baseAddress, bytes.count)
}

/// The system's `close`, which the method of that name hides.
private func system_close(_ file: Int32) -> Int32 { close(file) }

extension DownloadPart {
    static func blocking<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Value, any Error>) in
            DispatchQueue.global().async { continuation.resume(with: Result { try body() }) }
        }
    }

    /// Opens and locks the part. Between opening and locking, its former owner may have moved it to its place: then
    /// the lock is on the finished file, and it is tried again.
    ///
    /// - Returns: The open file, and how long it is.
    private static func open(_ path: String, _ isThere: Bool) throws(TransportError) -> (file: Int32, size: Int) {
        while true {
            let file = system_open(path, isThere ? 0 : O_CREAT)
            guard file >= 0 else { throw failure(path, .last) }
            guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
                let problem = SystemError.last
                _ = system_close(file)
                throw lockFailure(path, problem)
            }
            var opened = stat()
            if isSameFile(file, path, &opened) { return (file, Int(opened.st_size)) }
            _ = system_close(file)
        }
    }

    private static func isSameFile(_ file: Int32, _ path: String, _ opened: inout stat) -> Bool {
        var named = stat()
        return fstat(file, &opened) == 0 && lstat(path, &named) == 0
            && opened.st_ino == named.st_ino && opened.st_dev == named.st_dev
    }

    private static func setTime(_ date: Date, of file: Int32) {
        let seconds = date.timeIntervalSince1970.rounded(.down)
        var time = timespec()
        time.tv_sec = .init(seconds)
        time.tv_nsec = .init((date.timeIntervalSince1970 - seconds) * 1e9)
        // A file system that keeps no times keeps the file all the same.
        _ = futimens(file, [time, time])
    }

    private static func move(_ part: String, _ destination: String, _ isReplacing: Bool) throws(TransportError) {
        if isReplacing {
            guard rename(part, destination) == 0 else { throw failure(destination, .last) }
            return
        }
        if let problem = FileNaming.move(part, to: destination).problem { throw failure(destination, problem) }
    }

    /// Makes a name, and new ones beside it, survive a loss of power. The file is whole and in its place: where a folder cannot
    /// be flushed, that is no failure.
    ///
    /// Source: fsync(2), on the folder that has a file's name.
    public static func keepNames(beside path: String) {
        let descriptor = system_openFolder(folder(of: path))
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        _ = system_close(descriptor)
    }

    private static func folder(of path: String) -> String {
        let slash = path.lastIndex(of: "/")
        return slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    }

    /// Source: flock(2), ERRORS; nfs(5), `local_lock`.
    private static func lockFailure(_ path: String, _ problem: SystemError) -> TransportError {
        if problem.number == EWOULDBLOCK {
            return TransportError(
                .file, "Could not download to '\(path)': another download is writing it; wait for that one to end.")
        }
        return TransportError(
            .file,
            "Could not download to '\(path)': files cannot be locked in that folder (\(problem)). Choose another folder, or "
                + "let its file system lock files; for NFS the mount option 'local_lock=flock' does.",
            cause: problem)
    }

    static func failure(_ path: String, _ problem: SystemError) -> TransportError {
        let (code, remedy): (TransportError.Code, String) =
            switch problem.number {
            case ENOSPC, EDQUOT: (.diskFull, "make room there, then go on.")
            case EACCES, EPERM, EROFS:
                (.fileRefused, "let this user write to '\(folder(of: path))', or choose another folder.")
            case EEXIST: (.fileExists, "choose another name, or move that file away.")
            case ENAMETOOLONG: (.file, "that disk takes no name of this length; choose a folder on another.")
            case EFBIG: (.file, "that disk takes no file of this length; choose a folder on another.")
            default: (.file, "check the folder and the free space.")
            }
        return TransportError(
            code, "Could not write the download to '\(path)': \(problem); \(remedy)", cause: problem)
    }
}

private func system_open(_ path: String, _ flags: Int32) -> Int32 {
    open(path, O_RDWR | flags | O_CLOEXEC | O_NOFOLLOW, 0o600)
}

private func system_openFolder(_ path: String) -> Int32 { open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
