import Glibc

/// A thread of our own, for work that fills a core for a while and must not stand in the way of the loops.
enum WorkerThread {
    /// Starts a detached thread that runs `body` and ends with it.
    ///
    /// - Parameters:
    ///   - niceness: 0 to 19; Linux keeps it per thread, so the others stay as they are.
    ///   - body: The thread's work.
    /// - Returns: Whether the thread was started; false when the system has no more.
    ///
    /// Source: `pthread_create(3)`; `setpriority(2)`, notes on Linux threads.
    static func start(niceness: Int32, _ body: @escaping @Sendable () -> Void) -> Bool {
        let box = unsafe Unmanaged.passRetained(Body(niceness: niceness, run: body))
        var thread = pthread_t()
        let status = unsafe pthread_create(
            &thread, nil,
            { context in
                guard let context = unsafe context else { return nil }
                let body = unsafe Unmanaged<Body>.fromOpaque(context).takeRetainedValue()
                _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, body.niceness)
                body.run()
                return nil
            }, box.toOpaque())
        guard status == 0 else {
            unsafe box.release()
            return false
        }
        pthread_detach(thread)
        return true
    }

    private final class Body: Sendable {
        let niceness: Int32
        let run: @Sendable () -> Void

        init(niceness: Int32, run: @escaping @Sendable () -> Void) {
            self.niceness = niceness
            self.run = run
        }
    }
}
