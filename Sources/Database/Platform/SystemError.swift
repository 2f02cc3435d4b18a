import CLibrary

/// An error number of the system, used as the cause of an error. Source: `errno(3)`.
struct SystemError: Error, CustomStringConvertible {
    let number: Int32

    static var last: SystemError { SystemError(number: errno) }

    /// Whether the disk or its quota is full.
    var isDiskFull: Bool { number == ENOSPC || number == EDQUOT }

    /// The system's message, such as `Permission denied`.
    var description: String { String(cString: strerror(number)) }
}
