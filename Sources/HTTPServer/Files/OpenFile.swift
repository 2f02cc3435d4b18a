import Glibc

/// An open file; closed when nobody holds it any more.
public final class OpenFile: Sendable {
    /// The file's descriptor.
    public let descriptor: Int32

    /// Takes a descriptor over.
    public init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }

    /// Reads bytes, which may block for as long as the disk does: not on a loop.
    ///
    /// - Returns: At most `count` bytes from `offset` on; fewer at the file's end, none behind it.
    /// - Throws: ``HTTPServerError/Code/system`` when the system cannot read it.
    public func bytes(at offset: Int, count: Int) throws(HTTPServerError) -> [UInt8] {
        var failure: Int32?
        let bytes = [UInt8](unsafeUninitializedCapacity: max(0, count)) { buffer, filled in
            while filled < count {
                let rest = UnsafeMutableRawBufferPointer(
                    rebasing: UnsafeMutableRawBufferPointer(buffer)[filled..<count])
                let got = read(into: rest, at: offset + filled)
                if got < 0 { failure = errno }
                guard got > 0 else { return }
                filled += got
            }
        }
        guard let failure else { return bytes }
        throw HTTPServerError(
            .system, "Could not read a file: \(HTTPServerError.reason(failure)).", systemError: failure)
    }

    /// Whether the file is at least `count` bytes long.
    func reaches(_ count: Int) -> Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && Int(status.st_size) >= count
    }

    /// Reads at `offset`, as many bytes as are there and fit; 0 at the file's end, -1 where it cannot be read.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) -> Int {
        while true {
            let count = pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
            if count >= 0 || errno != EINTR { return count }
        }
    }
}

/// A part of an open file.
///
/// A file that becomes shorter while it is sent ends the connection: the client sees that it has not got everything. What
/// is written into a file while it is sent is sent as it is then; who replaces a file should rename another over it.
public struct FileRegion: Sendable {
    /// The file.
    public let file: OpenFile
    /// Where the part begins, in bytes.
    public let offset: Int
    /// How many bytes it has.
    public let count: Int

    /// Names a part of a file; negative numbers count as 0.
    public init(_ file: OpenFile, offset: Int = 0, count: Int) {
        self.file = file
        self.offset = max(0, offset)
        self.count = max(0, min(count, .max - max(0, offset)))
    }

    /// Where the part ends.
    var end: Int { offset + count }
}
