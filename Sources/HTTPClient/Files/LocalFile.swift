import CLibrary

/// An error of the system, with the system's description.
struct SystemError: Error, CustomStringConvertible {
    let number: Int32

    var description: String { String(cString: strerror(number)) }

    static var last: SystemError { SystemError(number: errno) }
}

/// Reads small files into memory.
enum LocalFile {
    /// The maximum size of a file, in bytes. The certificate bundles of whole systems are around 200 KiB.
    private static let maximumBytes = 4 << 20

    /// Returns the content of a file.
    static func contents(of path: String) -> Result<[UInt8], SystemError> {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return .failure(.last) }
        defer { close(file) }
        var contents: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = read(file, &chunk, chunk.count)
            if count == 0 { return .success(contents) }
            if count < 0 {
                if errno == EINTR { continue }
                return .failure(.last)
            }
            contents += chunk[..<count]
            guard contents.count <= maximumBytes else { return .failure(SystemError(number: EFBIG)) }
        }
    }
}
