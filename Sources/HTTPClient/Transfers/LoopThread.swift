#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A system thread that is joined or detached once.
struct LoopThread: @unchecked Sendable {  // A thread's name may be used from every thread.
    private let thread: pthread_t

    private final class Body {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Starts `body` with every signal blocked: handlers stay on the program's own threads, and writing to a closed
    /// connection, which raises SIGPIPE inside OpenSSL, ends no process.
    static func start(_ body: @escaping @Sendable () -> Void) -> LoopThread? {
        var all = sigset_t()
        var before = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_SETMASK, &all, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        let box = Unmanaged.passRetained(Body(body))
        #if canImport(Darwin)
            var thread: pthread_t?
        #else
            var thread = pthread_t()
        #endif
        let code = pthread_create(
            &thread, nil,
            { raw in
                if let raw = Optional(raw) { Unmanaged<Body>.fromOpaque(raw!).takeRetainedValue().run() }
                return nil
            }, box.toOpaque())
        guard code == 0 else {
            box.release()
            return nil
        }
        #if canImport(Darwin)
            return thread.map { LoopThread(thread: $0) }
        #else
            return LoopThread(thread: thread)
        #endif
    }

    /// A number of the thread that asks; no other thread has it meanwhile.
    static var current: UInt {
        #if canImport(Darwin)
            UInt(bitPattern: pthread_self())
        #else
            UInt(pthread_self())
        #endif
    }

    func join() { pthread_join(thread, nil) }

    func detach() { pthread_detach(thread) }
}
