import CLibrary

/// A system thread for blocking calls, which must not block the shared thread pool or an event loop.
///
/// Join or detach each thread exactly once.
///
/// Source: `pthread_create(3)`, `pthread_sigmask(3)`.
package struct SystemThread: @unchecked Sendable {  // A thread identifier may be used from any thread.
    private let thread: pthread_t

    /// The system could not start a thread.
    package struct Failure: Error, CustomStringConvertible {
        /// The error number, such as `EAGAIN`.
        package let number: Int32

        /// The system's description of the error, such as `Resource temporarily unavailable`.
        package var description: String { String(cString: strerror(number)) }
    }

    /// Starts a thread.
    ///
    /// - Parameters:
    ///   - niceness: The nice value, 0 to 19. Linux keeps it per thread, so other threads are not affected.
    ///   - blocksSignals: Whether the thread blocks all signals. Signal handlers then run on the other threads of the
    ///     program, and a write to a connection that the peer has closed raises no SIGPIPE. A program that the thread
    ///     starts inherits the signal mask.
    ///   - body: The work of the thread. The thread ends when it returns.
    /// - Returns: The thread, which must be joined or detached once.
    /// - Throws: ``Failure`` when the system cannot start another thread.
    ///
    /// Source: `setpriority(2)`, notes on Linux threads.
    package static func start(
        niceness: Int32 = 0, blocksSignals: Bool = true, _ body: @escaping @Sendable () -> Void
    ) throws(Failure) -> SystemThread {
        var before = sigset_t()
        if blocksSignals {
            // A new thread inherits the signal mask of the thread that creates it.
            var all = sigset_t()
            sigfillset(&all)
            pthread_sigmask(SIG_SETMASK, &all, &before)
        }
        defer { if blocksSignals { pthread_sigmask(SIG_SETMASK, &before, nil) } }
        let work = Unmanaged.passRetained(Work(niceness: niceness, body: body))
        let (thread, error) = PlatformCalls.createThread(
            { work in
                let work: UnsafeMutableRawPointer? = work
                if let work { Unmanaged<Work>.fromOpaque(work).takeRetainedValue().run() }
                return nil
            }, argument: work.toOpaque())
        guard let thread else {
            work.release()
            throw Failure(number: error)
        }
        return SystemThread(thread: thread)
    }

    /// Starts a detached thread.
    package static func detach(
        niceness: Int32 = 0, blocksSignals: Bool = true, _ body: @escaping @Sendable () -> Void
    ) throws(Failure) {
        try start(niceness: niceness, blocksSignals: blocksSignals, body).detach()
    }

    /// Runs blocking work on its own thread, and returns its result.
    ///
    /// - Parameters:
    ///   - blocksSignals: As in ``start(niceness:blocksSignals:_:)``.
    ///   - body: The work.
    /// - Returns: The result of `body`.
    /// - Throws: The error of `body`, or ``Failure`` when the system cannot start a thread.
    package static func run<Value: Sendable>(
        blocksSignals: Bool = true, _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            do throws(Failure) {
                try detach(blocksSignals: blocksSignals) { continuation.resume(with: Result { try body() }) }
            } catch {
                continuation.resume(throwing: error)
            }
        }
    }

    /// Waits until the thread has ended.
    package func join() { pthread_join(thread, nil) }

    /// Detaches the thread. Its resources are released when it ends.
    package func detach() { pthread_detach(thread) }

    /// Blocks the calling thread for a duration. Call it only on threads that this type started.
    package static func sleep(_ duration: Duration) {
        usleep(UInt32(clamping: Int64(duration / .microseconds(1))))
    }

    /// The identifier of the calling thread, unique among running threads.
    package static var current: UInt { PlatformCalls.threadNumber }

    private final class Work: Sendable {
        private let niceness: Int32
        private let body: @Sendable () -> Void

        init(niceness: Int32, body: @escaping @Sendable () -> Void) {
            self.niceness = niceness
            self.body = body
        }

        func run() {
            if niceness != 0 { PlatformCalls.setThreadNiceness(niceness) }
            body()
        }
    }
}
