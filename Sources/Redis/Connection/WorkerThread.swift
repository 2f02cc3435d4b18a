internal import Glibc

/// A thread of our own for calls that wait, so that the shared pool never waits for Redis.
///
/// Source: `pthread_create(3)`, `pthread_sigmask(3)`.
enum WorkerThread {
    private final class Work: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Starts a detached thread that runs `body` and ends with it; false when the system has no more.
    ///
    /// Every signal is blocked in it: hiredis writes to connections that the other side has closed, which raises SIGPIPE.
    static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        var all = sigset_t()
        var before = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_SETMASK, &all, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        let work = Unmanaged.passRetained(Work(body))
        var thread = pthread_t()
        let status = pthread_create(
            &thread, nil,
            { raw in
                if let raw { Unmanaged<Work>.fromOpaque(raw).takeRetainedValue().body() }
                return nil
            }, work.toOpaque())
        guard status == 0 else {
            work.release()
            return false
        }
        pthread_detach(thread)
        return true
    }
}
