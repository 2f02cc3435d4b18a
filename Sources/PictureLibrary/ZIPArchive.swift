import CZlib
import GatewayCore
package import HTTPServer

/// A ZIP archive of files, created while it is sent. Files are stored without compression, read outside the event
/// loops, and never held in memory as a whole.
///
/// The length of the archive is known before its first byte, so clients can show the progress. Zip64 is used for
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

    private let entries: [Entry]
    private let records: [ZIPRecord]
    private let directoryOffset: Int
    private let directorySize: Int

    /// The length of the archive in bytes.
    package let length: Int

    /// Plans an archive of files in the given order.
    package init(_ entries: [Entry]) {
        var names = ArchiveNames()
        var offset = 0
        var directory = 0
        var records: [ZIPRecord] = []
        records.reserveCapacity(entries.count)
        for entry in entries {
            let record = ZIPRecord(
                name: Array(names.add(entry.name).utf8), size: entry.size, modified: entry.modified, offset: offset)
            records.append(record)
            offset += record.overhead + record.size
            directory += record.rowCount
        }
        self.entries = entries
        self.records = records
        directoryOffset = offset
        directorySize = directory
        length =
            offset + directory + ZIPDirectory.end(count: records.count, offset: offset, size: directory).count
    }

    /// Returns the archive as the body of a response.
    ///
    /// The response is cut off if a file has been removed or has a different size by the time it is sent, because the
    /// length has already been sent.
    package static func stream(_ entries: [Entry]) -> ResponseBody {
        let archive = ZIPArchive(entries)
        return .stream(length: archive.length) { try await archive.write(to: $0) }
    }

    private func write(to writer: BodyWriter) async throws {
        let reading = FileReading()
        var batch = Batch(writer: writer)
        var checksums: [UInt32] = []
        checksums.reserveCapacity(records.count)
        for (entry, record) in zip(entries, records) {
            try await batch.add(record.localHeader)
            let checksum = try await write(entry, with: reading, to: &batch)
            try await batch.add(record.descriptor(checksum: checksum))
            checksums.append(checksum)
        }
        for (record, checksum) in zip(records, checksums) { try await batch.add(record.row(checksum: checksum)) }
        try await batch.add(
            ZIPDirectory.end(count: records.count, offset: directoryOffset, size: directorySize))
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
