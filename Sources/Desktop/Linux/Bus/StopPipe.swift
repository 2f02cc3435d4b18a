import CLibrary
internal import Synchronization

/// A pipe that ends a wait of another thread.
final class StopPipe: Sendable {
    /// The read end. It becomes readable when ``stop()`` closes the write end.
    let reader: Int32
    private let writer: Mutex<Int32?>

    /// Creates a pipe. Returns nil when the process has too many open files.
    init?() {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        reader = ends[0]
        writer = Mutex(ends[1])
    }

    deinit {
        stop()
        close(reader)
    }

    /// Whether ``stop()`` was called.
    var isStopped: Bool { writer.withLock { $0 == nil } }

    /// Ends every wait. Further calls have no effect.
    func stop() {
        writer.withLock { writer in
            if let writer { close(writer) }
            writer = nil
        }
    }
}
