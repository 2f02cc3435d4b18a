import CProcess
import Crypto
import Dispatch
import FoundationEssentials
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A file under way: bytes that grow beside the place they are meant for, and become a file there only when they are
/// whole.
///
/// What is written stays when a transfer breaks off, when the program ends and when it crashes, until
/// ``publish(as:modified:isReplacing:)`` or ``remove()``. A lock that dies with its holder keeps two downloads of one
/// part apart.
///
/// Source: DL-2; RFC 9110 §15.3.7.
public final class DownloadPart: @unchecked Sendable {  // one owner at a time: its opener or the transfer

    /// Where the part is.
    public let path: String
    var file: Int32?
    private var digest: InsecureSHA1?
    var isFlushed = false
    /// Small pieces that wait to be written together.
    private var gathered: [UInt8] = []
    /// Why bytes that came could not be written: no more are taken then.
    private var problem: TransportError?
    /// How many bytes are in the file.
    var stored: Int
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
        let (file, size) = try Self.open(path, isThere ? 0 : Self.made)
        self.file = file
        stored = size
        written = Atomic(size)
    }

    /// Creates an empty part with an unused, random name beside the file that it will become.
    ///
    /// - Throws: As ``init(path:isThere:)``.
    init(newBeside path: String) throws(TransportError) {
        self.path = path + "." + String(UInt64.random(in: .min ... .max), radix: 36) + ".part"
        file = try Self.open(self.path, Self.madeAnew).file
        stored = 0
        written = Atomic(0)
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
        // By name: a program that is being started may hold a copy of the descriptor for a moment still.
        flock(file, LOCK_UN)
        system_close(file)
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

    /// How many bytes a file holds; nil where there is none. A link counts as itself.
    ///
    /// Source: lstat(2).
    public static func size(of path: String) -> Int? {
        var status = stat()
        return lstat(path, &status) == 0 ? Int(status.st_size) : nil
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
    /// From here on a piece is written as it came: a fast network brings them so, and copying costs more than writing
    /// then.
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

/// The system's `close`, which methods of that name hide.
func system_close(_ file: Int32) { _ = close(file) }

/// Makes what one thread wrote before `release` visible to another thread after `acquire`.
private final class MemoryOrder: Sendable {
    private let lock = Mutex(())

    func release() { lock.withLock { _ in } }
    func acquire() { lock.withLock { _ in } }
}

extension DownloadPart {
    static func blocking<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        // What `body` did comes before what follows the await. The thread sanitizer misses that order for some continuations that
        // a task of an actor waits for (Swift 6.3), so it is made by a lock as well.
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
