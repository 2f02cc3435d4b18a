#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#else
    #error("Desktop needs a C library")
#endif

/// A thread of its own for a call that waits.
///
/// Source: `pthread_create(3)`.
enum DesktopThread {
    private final class Work: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Runs `body` on a new thread that nobody waits for. Where the system has no thread left the program ends, as nothing
    /// that was begun could be ended.
    static func start(_ body: @escaping @Sendable () -> Void) {
        #if canImport(Darwin)
            var thread: pthread_t?
        #else
            var thread = pthread_t()
        #endif
        let work = Unmanaged.passRetained(Work(body))
        let status = pthread_create(
            &thread, nil,
            { raw in
                let raw: UnsafeMutableRawPointer? = raw
                if let raw { Unmanaged<Work>.fromOpaque(raw).takeRetainedValue().body() }
                return nil
            }, work.toOpaque())
        guard status == 0 else { fatalError("The system has no thread left: \(String(cString: strerror(status))).") }
        #if canImport(Darwin)
            if let thread { pthread_detach(thread) }
        #else
            pthread_detach(thread)
        #endif
    }
}
