import CLibrary
import Crypto
import FoundationEssentials
import Primitives

/// The folder of the library on the disk. Its contents are read without following any link.
///
/// All functions block, so they must not run on an event loop.
///
/// Source: openat(2), `O_NOFOLLOW`; readdir(3); fstatat(2).
package struct LibraryFolder: Sendable {
    /// The contents of one folder.
    struct Listing: Sendable {
        /// When the names in the folder last changed, in nanoseconds since 1970.
        var modified = 0
        var files: [Entry] = []
        var folders: [String] = []
        /// The number of files that are left out: with a name that is not valid UTF-8, and those that take hours to read.
        var unreadable = 0
        /// Whether a file is left out because little of it is on the disk. That can change without a change of its time.
        var hasSparseFiles = false
    }

    struct Entry: Sendable {
        let name: String
        let mark: FileMark
    }

    /// The maximum length of a folder's path in the library: 2,048 bytes of UTF-8. With the name of a file (255) and its
    /// owner it fits into a row of an index of PostgreSQL (2,704). Folders below it are not read.
    static let maximumPathLength = 2_048

    /// The maximum size of a file, 1 TiB in bytes. Larger files are left out.
    static let maximumSize = 1 << 40
    /// The size from which a file is left out when less than half of it is on the disk, 1 GiB in bytes. Such a file costs
    /// nothing to create and hours to read, while the files of other people wait.
    static let maximumSparseSize = 1 << 30

    /// The path of the library.
    let path: String
    /// The name of folders whose contents are locked.
    let lockedName: String

    /// Whether a folder is locked: it or a folder above it has the name ``lockedName``.
    func isLocked(_ folder: String) -> Bool {
        folder.split(atByte: "/").dropFirst().contains { $0 == lockedName }
    }

    /// Returns the contents of a folder. Nil when it does not exist or is a link. `""` is the library itself.
    func list(_ folder: String) -> Listing? {
        guard let directory = open(folder: folder) else { return nil }
        var listing = Listing(modified: Self.status(directory).map(Self.modified) ?? 0)
        guard let stream = unsafe fdopendir(directory) else {
            close(directory)
            return nil
        }
        defer { unsafe closedir(stream) }
        while let entry = unsafe readdir(stream) {
            unsafe add(entry, of: directory, to: &listing)
        }
        listing.files.sort { $0.name < $1.name }
        listing.folders.sort()
        return listing
    }

    private func add(_ entry: UnsafeMutablePointer<dirent>, of directory: Int32, to listing: inout Listing) {
        guard let name = unsafe Self.name(entry) else {
            listing.unreadable += 1
            return
        }
        // Names that begin with a dot belong to other programs: caches, bins, incomplete uploads.
        guard name.utf8.first != UInt8(ascii: ".") || name == lockedName else { return }
        var status = stat()
        guard unsafe fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return }
        switch status.st_mode & S_IFMT {
        case S_IFDIR: listing.folders.append(name)
        case S_IFREG where AssetKind(name: name) != nil:
            let isSparse = Self.isSparse(name, of: directory, status)
            guard !isSparse, Int(status.st_size) <= Self.maximumSize else {
                listing.unreadable += 1
                if isSparse { listing.hasSparseFiles = true }
                return
            }
            listing.files.append(Entry(name: name, mark: Self.mark(status)))
        default: break
        }
    }

    /// Whether less than half of a large file is on the disk.
    private static func isSparse(_ name: String, of directory: Int32, _ status: stat) -> Bool {
        let size = Int(status.st_size)
        // st_blocks counts 512 bytes, whatever the block size of the file system.
        guard size >= maximumSparseSize, Int(status.st_blocks) < size / 1_024 else { return false }
        guard status.st_blocks == 0 else { return true }
        // Some network file systems count no blocks. Those also report no holes, so the file has data at its start.
        let file = unsafe openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard file >= 0 else { return true }
        defer { close(file) }
        return lseek(file, 0, seekData) < 0
    }

    /// `SEEK_DATA`, which the C library declares only with `_GNU_SOURCE`.
    ///
    /// Source: lseek(2).
    private static let seekData: Int32 = 3

    /// Returns when the names in a folder last changed, in nanoseconds since 1970. Nil when the folder does not exist.
    func modified(_ folder: String) -> Int? {
        guard let directory = open(folder: folder) else { return nil }
        defer { close(directory) }
        return Self.status(directory).map(Self.modified)
    }

    /// Whether the file at a path has this inode number.
    func holds(_ path: String, inode: Int) -> Bool {
        guard let file = open(file: path) else { return false }
        defer { close(file) }
        return Self.status(file).map(Self.mark)?.inode == inode
    }

    /// Reads the metadata and the checksum of a file. Returns nil when it no longer exists or cannot be read.
    ///
    /// - Parameters:
    ///   - path: The path relative to the library.
    ///   - isStopped: Whether to stop. Called between pieces, so that reading a video of many gigabytes can be
    ///     cancelled.
    /// - Returns: The data of the file.
    func describe(_ path: String, isStopped: () -> Bool) -> DescribedFile? {
        guard let file = open(file: path), let before = Self.status(file) else { return nil }
        defer { close(file) }
        let mark = Self.mark(before)
        let bytes = MediaBytes(count: mark.size) { position, count in Self.read(file, at: position, count: count) }
        guard let checksum = Self.checksum(file, isStopped: isStopped) else { return nil }
        return DescribedFile(mark: mark, facts: MediaFacts.read(bytes), checksum: checksum)
    }

    private func open(folder: String) -> Int32? {
        var directory = unsafe CLibrary.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        for component in folder.split(atByte: "/") where directory >= 0 {
            let next = unsafe openat(directory, String(component), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            close(directory)
            directory = next
        }
        return directory < 0 ? nil : directory
    }

    private func open(file path: String) -> Int32? {
        let parts = path.split(atLastByte: "/")
        guard let directory = open(folder: String(parts?.head ?? "")) else { return nil }
        defer { close(directory) }
        let name = parts.map { String($0.tail) } ?? path
        // Without O_NONBLOCK, opening a pipe would wait for a writer.
        let file = unsafe openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard file >= 0 else { return nil }
        guard let status = Self.status(file), status.st_mode & S_IFMT == S_IFREG else {
            close(file)
            return nil
        }
        return file
    }

    private static func checksum(_ file: Int32, isStopped: () -> Bool) -> [UInt8]? {
        guard var hash = InsecureSHA1() else { return nil }
        var buffer = [UInt8](repeating: 0, count: 1 << 18)
        while true {
            if isStopped() { return nil }
            let count = unsafe buffer.withUnsafeMutableBytes { unsafe CLibrary.read(file, $0.baseAddress, $0.count) }
            if count < 0 { if errno == EINTR { continue } else { return nil } }
            if count == 0 { return hash.finish() }
            unsafe buffer.withUnsafeBytes { unsafe hash.update(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
        }
    }

    static func read(_ file: Int32, at position: Int, count: Int) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            filled = max(0, unsafe pread(file, buffer.baseAddress, count, position))
        }
    }

    private static func name(_ entry: UnsafeMutablePointer<dirent>) -> String? {
        unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
            unsafe String(validating: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }

    private static func status(_ file: Int32) -> stat? {
        var status = stat()
        return unsafe fstat(file, &status) == 0 ? status : nil
    }

    private static func mark(_ status: stat) -> FileMark {
        FileMark(size: Int(status.st_size), modified: modified(status), inode: Int(truncatingIfNeeded: status.st_ino))
    }

    private static func modified(_ status: stat) -> Int {
        let (nanoseconds, isTooFar) = status.st_mtim.tv_sec.multipliedReportingOverflow(by: 1_000_000_000)
        return isTooFar ? 0 : nanoseconds &+ status.st_mtim.tv_nsec
    }
}

/// The data that was read from a file.
struct DescribedFile: Sendable {
    let mark: FileMark
    let facts: MediaFacts
    let checksum: [UInt8]
}
