import CLibrary

/// The reason why a connection failed, from the system's error number.
///
/// Source: connect(2).
enum ConnectProblem {
    case refused, timedOut, unreachable

    init(_ number: Int32) {
        switch number {
        case ECONNREFUSED: self = .refused
        case ETIMEDOUT: self = .timedOut
        default: self = .unreachable
        }
    }

    /// Returns whether this process can open another file descriptor.
    ///
    /// Source: open(2), `EMFILE` and `ENFILE`.
    static func canOpenMore() -> Bool {
        let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
        guard descriptor < 0 else {
            close(descriptor)
            return true
        }
        return errno != EMFILE && errno != ENFILE
    }
}
