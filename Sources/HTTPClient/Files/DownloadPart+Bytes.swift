import CLibrary
import CProcess
import Dispatch

/// Reading and joining the bytes of parts. Runs outside the shared thread pool, in chunks of 1 MiB for any length.
extension DownloadPart {
    private static let chunkSize = 1 << 20

    /// Returns bytes of the part, fewer than `count` at its end.
    ///
    /// - Throws: ``TransportError`` when they cannot be read.
    package func bytes(at offset: Int, count: Int) async throws -> [UInt8] {
        try await Self.blocking { [self] in try read(at: offset, count: count) }
    }

    /// Removes all bytes.
    ///
    /// - Throws: ``TransportError`` when the part cannot be written.
    package func empty() throws(TransportError) { try begin(at: 0, total: nil) }

    /// Appends bytes.
    ///
    /// - Throws: ``TransportError`` when they cannot be written.
    package func append(_ bytes: [UInt8]) async throws {
        try await Self.blocking { [self] in try bytes.withUnsafeBytes { try append($0) } }
    }

    /// Appends bytes of another part.
    ///
    /// - Throws: ``TransportError`` when they cannot be read or written, or when the other part has fewer bytes.
    package func append(_ range: Range<Int>, of other: DownloadPart) async throws {
        try await Self.blocking { [self] in
            var offset = range.lowerBound
            while offset < range.upperBound {
                let chunk = try other.read(at: offset, count: min(Self.chunkSize, range.upperBound - offset))
                guard !chunk.isEmpty else { throw Self.failure(other.path, SystemError(number: EIO)) }
                try chunk.withUnsafeBytes { try append($0) }
                offset += chunk.count
            }
        }
    }

    /// Returns whether this part ends with all bytes of another part.
    ///
    /// - Throws: ``TransportError`` when they cannot be read.
    package func ends(with other: DownloadPart) async throws -> Bool {
        try await Self.blocking { [self] in
            let start = count - other.count
            guard start >= 0 else { return false }
            var offset = 0
            while offset < other.count {
                let size = min(Self.chunkSize, other.count - offset)
                let (mine, its) = try (read(at: start + offset, count: size), other.read(at: offset, count: size))
                guard mine.count == size, mine == its else { return false }
                offset += size
            }
            return true
        }
    }

    private func read(at offset: Int, count: Int) throws(TransportError) -> [UInt8] {
        guard let file, count > 0, offset >= 0 else { return [] }
        try store()
        var bytes = [UInt8](repeating: 0, count: count)
        var got = 0
        while got < count {
            let now = bytes.withUnsafeMutableBytes {
                pread(file, $0.baseAddress! + got, count - got, off_t(offset + got))
            }
            if now < 0, errno == EINTR { continue }
            guard now >= 0 else { throw Self.failure(path, .last) }
            if now == 0 { break }
            got += now
        }
        return got == count ? bytes : Array(bytes[..<got])
    }
}
