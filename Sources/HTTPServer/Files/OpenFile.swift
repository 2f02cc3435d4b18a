import CLibrary

/// An open file. It is closed when the object is deallocated.
package final class OpenFile: Sendable {
    /// The file descriptor.
    package let descriptor: Int32

    /// Creates an object that takes ownership of a descriptor.
    package init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }

    /// Reads bytes. The call may block as long as the disk does, so it must not run on an event loop.
    ///
    /// - Returns: At most `count` bytes from `offset` on: fewer at the end of the file, none after it.
    /// - Throws: ``HTTPServerError/Code/system`` when the system cannot read the file.
    package func bytes(at offset: Int, count: Int) throws(HTTPServerError) -> [UInt8] {
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

    /// Returns whether the file is at least `count` bytes long.
    func reaches(_ count: Int) -> Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && Int(status.st_size) >= count
    }

    /// Reads at `offset`, at most as many bytes as fit. Returns the number of bytes, 0 at the end of the file, or -1 on
    /// failure.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) -> Int {
        while true {
            let count = pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
            if count >= 0 || errno != EINTR { return count }
        }
    }
}

/// A part of an open file.
///
/// When the file becomes shorter while it is sent, the connection is closed, so that the client detects that the file
/// is incomplete. Bytes that are written into the file while it is sent may be sent. Replace a file by renaming another
/// file over it instead.
package struct FileRegion: Sendable {
    /// The open file.
    package let file: OpenFile
    /// The offset of the part in the file, in bytes.
    package let offset: Int
    /// The size of the part in bytes.
    package let count: Int

    /// Creates a part of a file. Negative numbers count as 0.
    package init(_ file: OpenFile, offset: Int = 0, count: Int) {
        self.file = file
        self.offset = max(0, offset)
        self.count = max(0, min(count, .max - max(0, offset)))
    }

    /// The offset of the end of the part, in bytes.
    var end: Int { offset + count }
}
