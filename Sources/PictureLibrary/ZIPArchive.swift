import CZlib
import GatewayCore
package import HTTPServer

/// A ZIP archive of files, created while it is sent. Files are stored without compression, read outside the event
/// loops, and never held in memory as a whole.
///
/// Until it is sent, an archive needs 32 bytes for each file besides its name and its path. The length of the archive is
/// known before its first byte, so clients can show the progress. Zip64 is used for
/// archives of more than 65,534 files, and for files and archives of 4 GiB and more.
package struct ZIPArchive: Sendable {
    /// One file of the archive.
    package struct Entry: Sendable {
        /// The requested name in the archive, which is made safe and unique there.
        package let name: String
        /// The path of the file, relative to ``folder``.
        package let path: String
        /// The folder that the path and its links cannot leave.
        package let folder: String
        /// The size of the file in bytes.
        package let size: Int
        /// When the file was last modified, since 1970.
        package let modified: Duration

        /// Makes an entry of a file whose size and modification time are already known.
        package init(name: String, path: String, beneath folder: String, size: Int, modified: Duration) {
            self.name = name
            self.path = path
            self.folder = folder
            self.size = max(0, size)
            self.modified = modified
        }

        /// Makes an entry with the size and modification time of a file. Blocks while it reads the disk.
        ///
        /// - Throws: ``HTTPServerError`` when the file cannot be opened; see ``ServedFile/open(_:beneath:)``.
        package init(name: String, path: String, beneath folder: String) throws(HTTPServerError) {
            let file = try ServedFile.open(path, beneath: folder)
            self.init(name: name, path: path, beneath: folder, size: file.size, modified: file.modified)
        }
    }

    /// What is kept of a file while the archive is sent, besides its names.
    private struct Row {
        /// The end of the name, which begins at the end of the path before it.
        let nameEnd: Int32
        /// The end of the path, which begins at the end of the name.
        let pathEnd: Int32
        let folder: Int32
        var checksum: UInt32 = 0
        let size: Int
        /// When the file was last modified, in seconds since 1970.
        let modified: Int64
    }

    private var rows: [Row] = []
    /// The names and paths of all files in UTF-8, one after another, which takes less memory than a text for each.
    private var texts: [UInt8] = []
    private var folders: [String] = []
    private var directoryOffset = 0
    private var directorySize = 0

    /// The number of files.
    package var count: Int { rows.count }

    /// The length of the archive in bytes.
    package var length: Int {
        directoryOffset + directorySize
            + ZIPDirectory.end(count: rows.count, offset: directoryOffset, size: directorySize).count
    }

    /// Creates an archive without files. ``ZIPPlan`` adds them.
    init() {}

    /// Plans an archive of files in the given order.
    package init(_ entries: [Entry]) {
        var plan = ZIPPlan()
        for entry in entries { plan.add(entry) }
        self = plan.archive
    }

    /// Adds a file under a name that no other file of the archive has.
    mutating func add(_ entry: Entry, as name: String) {
        texts += name.utf8
        let nameEnd = texts.count
        texts += entry.path.utf8
        let folder = folders.lastIndex(of: entry.folder) ?? folders.count
        if folder == folders.count { folders.append(entry.folder) }
        rows.append(
            Row(
                nameEnd: Int32(nameEnd), pathEnd: Int32(texts.count), folder: Int32(folder), size: entry.size,
                modified: entry.modified.components.seconds))
        let record = record(rows.count - 1, offset: directoryOffset)
        directoryOffset += record.overhead + record.size
        directorySize += record.rowCount
    }

    /// The beginning of the name of a row.
    private func start(_ index: Int) -> Int { index == 0 ? 0 : Int(rows[index - 1].pathEnd) }

    private func record(_ index: Int, offset: Int) -> ZIPRecord {
        let row = rows[index]
        return ZIPRecord(
            name: Array(texts[start(index)..<Int(row.nameEnd)]), size: row.size, modified: .seconds(row.modified),
            offset: offset)
    }

    private func entry(_ index: Int) -> Entry {
        let row = rows[index]
        func text(_ range: Range<Int>) -> String { String(decoding: texts[range], as: UTF8.self) }
        return Entry(
            name: text(start(index)..<Int(row.nameEnd)), path: text(Int(row.nameEnd)..<Int(row.pathEnd)),
            beneath: folders[Int(row.folder)], size: row.size, modified: .seconds(row.modified))
    }

    /// Returns the archive as the body of a response.
    ///
    /// The response is cut off if a file has been removed or has a different size by the time it is sent, because the
    /// length has already been sent.
    ///
    /// - Parameter place: What the response occupies until it is sent or cut off. Default: nothing.
    /// - Returns: The body.
    package func stream(in place: ResponsePlaces.Place? = nil) -> ResponseBody {
        .stream(length: length) { writer in
            defer { place?.leave() }
            var archive = self
            try await archive.write(to: writer)
        }
    }

    private mutating func write(to writer: BodyWriter) async throws {
        let reading = FileReading()
        var batch = Batch(writer: writer)
        var offset = 0
        for index in rows.indices {
            let record = record(index, offset: offset)
            try await batch.add(record.localHeader)
            let checksum = try await write(entry(index), with: reading, to: &batch)
            try await batch.add(record.descriptor(checksum: checksum))
            rows[index].checksum = checksum
            offset += record.overhead + record.size
        }
        offset = 0
        for index in rows.indices {
            let record = record(index, offset: offset)
            try await batch.add(record.row(checksum: rows[index].checksum))
            offset += record.overhead + record.size
        }
        try await batch.add(
            ZIPDirectory.end(count: rows.count, offset: directoryOffset, size: directorySize))
        try await batch.flush()
    }

    /// Writes a file's content and returns its checksum.
    private func write(_ entry: Entry, with reading: FileReading, to batch: inout Batch) async throws -> UInt32 {
        // A small file is opened, read and closed in one job.
        let (file, first) = try await reading.run {
            let file = try ServedFile.open(entry.path, beneath: entry.folder)
            guard file.size == entry.size else { throw Self.changed(entry) }
            let first = try Self.piece(of: file.file, entry, at: 0, checksum: 0)
            return (first.bytes.count < entry.size ? file.file : nil, first)
        }
        try await batch.add(first.bytes)
        var done = first.bytes.count
        var checksum = first.checksum
        while let file, done < entry.size {
            let (offset, before) = (done, checksum)
            let piece = try await reading.run { try Self.piece(of: file, entry, at: offset, checksum: before) }
            try await batch.add(piece.bytes)
            done += piece.bytes.count
            checksum = piece.checksum
        }
        return checksum
    }

    private struct Piece: Sendable {
        let bytes: [UInt8]
        let checksum: UInt32
    }

    private static func piece(
        of file: OpenFile, _ entry: Entry, at offset: Int, checksum: UInt32
    ) throws -> Piece {
        let bytes = try file.bytes(at: offset, count: min(131_072, entry.size - offset))
        guard !bytes.isEmpty || entry.size == 0 else { throw changed(entry) }
        let sum = unsafe bytes.withUnsafeBufferPointer { buffer in
            unsafe crc32_z(UInt(checksum), buffer.baseAddress, buffer.count)
        }
        return Piece(bytes: bytes, checksum: bytes.isEmpty ? checksum : UInt32(truncatingIfNeeded: sum))
    }

    private static func changed(_ entry: Entry) -> GatewayError {
        GatewayError(
            .file, "Could not add '\(entry.path)' to an archive: the file has changed in the meantime; try again.")
    }

    /// A buffer for small pieces, so that a directory of thousands of rows does not need thousands of writes.
    private struct Batch {
        package let writer: BodyWriter
        private var bytes: [UInt8] = []

        package init(writer: BodyWriter) {
            self.writer = writer
        }

        package mutating func add(_ more: [UInt8]) async throws {
            if more.count >= 65_536 {
                try await flush()
                try await writer.write(more)
                return
            }
            bytes += more
            if bytes.count >= 65_536 { try await flush() }
        }

        package mutating func flush() async throws {
            let ready = bytes
            bytes = []
            try await writer.write(ready)
        }
    }
}
