import CLibrary
import CMicroHTTPD

/// The bytes of a small file outside of Swift arrays, so that they can reliably be erased.
///
/// Source: explicit_bzero(3).
struct FileBytes: ~Copyable {
    private let buffer: UnsafeMutableRawBufferPointer
    private let count: Int

    /// The maximum file size in bytes. No certificate chain is longer.
    private static let maximum = 1 << 20

    init(_ path: String, _ what: StaticString) throws(HTTPServerError) {
        func failure(_ reason: String, _ number: Int32? = nil) -> HTTPServerError {
            HTTPServerError(
                .certificate, "Could not read the \(what) '\(Self.absolute(path))': \(reason).", systemError: number)
        }
        // Opening a pipe would block. Pipes are refused below.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            let number = errno
            let remedy =
                number == EACCES
                ? "make it readable for the user that runs latchd (uid \(getuid()))" : "correct its path"
            throw failure("\(HTTPServerError.reason(number)); \(remedy)", number)
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size <= Self.maximum else {
            throw failure("it is not a regular file of at most 1 MiB; specify a PEM file")
        }
        buffer = .allocate(byteCount: max(1, status.st_size), alignment: 1)
        var filled = 0
        while filled < status.st_size {
            let got = CLibrary.read(descriptor, buffer.baseAddress?.advanced(by: filled), status.st_size - filled)
            if got < 0, errno == EINTR { continue }
            if got <= 0 { break }
            filled += got
        }
        count = filled
    }

    /// Returns the absolute path, because a message otherwise does not show the folder of a relative path.
    private static func absolute(_ path: String) -> String {
        guard !path.hasPrefix("/"), let folder = getcwd(nil, 0) else { return path }
        defer { free(folder) }
        return "\(String(cString: folder))/\(path)"
    }

    deinit {
        if let start = buffer.baseAddress { explicit_bzero(start, buffer.count) }
        buffer.deallocate()
    }

    var bytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: buffer[..<count])
    }
}
