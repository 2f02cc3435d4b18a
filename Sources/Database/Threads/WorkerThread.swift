#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// A thread of our own for calls that block, so that the shared pool never waits for a disk.
///
/// Source: `pthread_create(3)`, `pthread_sigmask(3)`.
enum WorkerThread {
    private final class Work: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Starts a thread that runs `body` and ends with it. It takes no signals: they belong to the program.
    ///
    /// - Throws: ``DatabaseError/Code/other`` when the system allows no further thread.
    static func start(_ body: @escaping @Sendable () -> Void) throws(DatabaseError) {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))

        let work = Unmanaged.passRetained(Work(body))
        let result = withSignalsBlocked { create(&attributes, work.toOpaque()) }
        guard result == 0 else {
            work.release()
            throw DatabaseError(
                .other, "Could not start a thread for the database: \(SystemError(number: result)).",
                cause: SystemError(number: result))
        }
    }

    /// Blocks the calling thread for a while; only for threads made here.
    static func pause(_ duration: Duration) {
        usleep(UInt32(clamping: Int64(duration / .microseconds(1))))
    }

    #if canImport(Darwin)
        private static func create(
            _ attributes: UnsafePointer<pthread_attr_t>, _ work: UnsafeMutableRawPointer
        ) -> Int32 {
            var thread: pthread_t?
            return pthread_create(&thread, attributes, { WorkerThread.run($0) }, work)
        }
    #else
        private static func create(
            _ attributes: UnsafePointer<pthread_attr_t>, _ work: UnsafeMutableRawPointer
        ) -> Int32 {
            var thread = pthread_t()
            return pthread_create(&thread, attributes, { WorkerThread.run($0) }, work)
        }
    #endif

    private static func run(_ work: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        if let work {
            Unmanaged<Work>.fromOpaque(work).takeRetainedValue().body()
        }
        return nil
    }

    /// A new thread inherits the mask of its maker.
    private static func withSignalsBlocked(_ body: () -> Int32) -> Int32 {
        var all = sigset_t()
        var before = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_SETMASK, &all, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        return body()
    }
}
