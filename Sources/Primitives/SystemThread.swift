#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#else
    #error("Primitives needs a C library with POSIX threads")
#endif

/// A thread of the system for calls that block, so that they hold up neither the shared pool nor an event loop.
///
/// Join or detach each thread once.
///
/// Source: `pthread_create(3)`, `pthread_sigmask(3)`.
package struct SystemThread: @unchecked Sendable {  // A thread's identifier may be used from every thread.
    private let thread: pthread_t

    /// The system started no thread.
    package struct Failure: Error, CustomStringConvertible {
        /// The error's number, such as `EAGAIN`.
        package let number: Int32

        /// The system's words, such as `Resource temporarily unavailable`.
        package var description: String { String(cString: strerror(number)) }
    }

    /// Starts a thread.
    ///
    /// - Parameters:
    ///   - niceness: 0 to 19; Linux keeps it per thread, so that other threads keep theirs.
    ///   - blocksSignals: Whether the thread takes no signals. Signal handlers then run on the program's own threads, and a write
    ///     to a connection that the other side has closed raises no SIGPIPE. A program that the thread starts inherits this.
    ///   - body: The thread's work; the thread ends with it.
    /// - Returns: The thread, to be joined or detached once.
    /// - Throws: ``Failure`` when the system allows no further thread.
    ///
    /// Source: `setpriority(2)`, notes on Linux threads.
    package static func start(
        niceness: Int32 = 0, blocksSignals: Bool = true, _ body: @escaping @Sendable () -> Void
    ) throws(Failure) -> SystemThread {
        var before = sigset_t()
        if blocksSignals {
            // A new thread inherits the mask of the thread that starts it.
            var all = sigset_t()
            sigfillset(&all)
            pthread_sigmask(SIG_SETMASK, &all, &before)
        }
        defer { if blocksSignals { pthread_sigmask(SIG_SETMASK, &before, nil) } }
        let work = Unmanaged.passRetained(Work(niceness: niceness, body: body))
        #if canImport(Darwin)
            var thread: pthread_t?
        #else
            var thread = pthread_t()
        #endif
        let number = pthread_create(
            &thread, nil,
            { work in
                let work: UnsafeMutableRawPointer? = work
                if let work { Unmanaged<Work>.fromOpaque(work).takeRetainedValue().run() }
                return nil
            }, work.toOpaque())
        guard number == 0 else {
            work.release()
            throw Failure(number: number)
        }
        #if canImport(Darwin)
            guard let thread else { throw Failure(number: EAGAIN) }
        #endif
        return SystemThread(thread: thread)
    }

    /// Starts a thread that nobody waits for.
    package static func detach(
        niceness: Int32 = 0, blocksSignals: Bool = true, _ body: @escaping @Sendable () -> Void
    ) throws(Failure) {
        try start(niceness: niceness, blocksSignals: blocksSignals, body).detach()
    }

    /// Waits until the thread has ended.
    package func join() { pthread_join(thread, nil) }

    /// Leaves the thread to end by itself.
    package func detach() { pthread_detach(thread) }

    /// Blocks the calling thread; only for threads that were started here.
    package static func sleep(_ duration: Duration) {
        usleep(UInt32(clamping: Int64(duration / .microseconds(1))))
    }

    /// A number of the calling thread, which no other thread has while it lives.
    package static var current: UInt {
        #if canImport(Darwin)
            UInt(bitPattern: pthread_self())
        #else
            UInt(pthread_self())
        #endif
    }

    private final class Work: Sendable {
        private let niceness: Int32
        private let body: @Sendable () -> Void

        init(niceness: Int32, body: @escaping @Sendable () -> Void) {
            self.niceness = niceness
            self.body = body
        }

        func run() {
            #if os(Linux)
                if niceness != 0 { _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, niceness) }
            #endif
            body()
        }
    }
}
