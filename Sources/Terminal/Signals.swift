import Glibc
import Primitives
import Synchronization

/// Turns the signals that end a program into a task's cancellation, so that it can clean up.
///
/// The first signal cancels, and makes the program drop output that is not read. The second ends the program at once, with the
/// terminal restored. A signal that the parent process set to be ignored stays ignored. SIGHUP does not count where the
/// program asked for ``hangUps()``.
///
/// A handler only writes the signal's number to a pipe, which a thread reads. Blocking the signals and waiting for them
/// would not do: with an asynchronous `main` the first thread ends in `dispatch_main`, which unblocks them all.
///
/// Source: `sigaction(2)`; `signal-safety(7)`.
public final class Signals: Sendable {
    /// One state under a lock: the signal that came, and what to do at the first.
    private struct State {
        var first: Int32?
        var cancel: (@Sendable () -> Void)?
        var hangUps: AsyncStream<Void>.Continuation?
    }

    private let state = Mutex(State())

    /// The signal that asked to end, if one did.
    public var received: Int32? { state.withLock { $0.first } }

    /// Begins to take signals.
    public init() {
        // Writing to a closed pipe is an error to handle, in C libraries too.
        signal(SIGPIPE, SIG_IGN)
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { return }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        signalPipe.store(ends[1], ordering: .releasing)
        for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] { Self.handle(number) }
        let reader = ends[0]
        try? SystemThread.detach { [self] in
            var number: UInt8 = 0
            while true {
                let count = Glibc.read(reader, &number, 1)
                if count == 1 { take(Int32(number)) } else if count == 0 || errno != EINTR { return }
            }
        }
    }

    /// Says what to do at the first signal; at once when it came already.
    public func onFirst(_ cancel: @escaping @Sendable () -> Void) {
        let came = state.withLock { state in
            state.cancel = cancel
            return state.first != nil
        }
        if came { cancel() }
    }

    /// Has SIGHUP end nothing from now on, also where it was ignored; each one is an element.
    ///
    /// Several that come before one is looked at are one. Call it once.
    public func hangUps() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        state.withLock { $0.hangUps = continuation }
        Self.handle(SIGHUP, evenIfIgnored: true)
        return stream
    }

    private func take(_ number: Int32) {
        if number == SIGHUP, let hangUps = state.withLock({ $0.hangUps }) {
            hangUps.yield()
            return
        }
        let (isSecond, cancel) = state.withLock { state in
            defer { state.first = state.first ?? number }
            return (state.first != nil, state.cancel)
        }
        if isSecond {
            EchoGuard.shared.restore()
            _exit(128 + number)
        }
        Descriptor.hurry()
        cancel?()
    }

    private static func handle(_ number: Int32, evenIfIgnored: Bool = false) {
        var old = sigaction()
        sigaction(number, nil, &old)
        let isIgnored = old.__sigaction_handler.sa_handler.map { unsafeBitCast($0, to: Int.self) } == ignored
        guard !isIgnored || evenIfIgnored else { return }
        var new = sigaction()
        new.__sigaction_handler.sa_handler = { number in
            var byte = UInt8(truncatingIfNeeded: number)
            let saved = errno
            _ = Glibc.write(signalPipe.load(ordering: .acquiring), &byte, 1)
            errno = saved
        }
        new.sa_flags = SA_RESTART
        sigaction(number, &new, nil)
    }

    /// `SIG_IGN` as a number; closures of C cannot be compared.
    private static let ignored = 1

    /// Ends the program as one that a closed pipe ends: quietly.
    public static func endByClosedPipe() -> Never {
        EchoGuard.shared.restore()
        signal(SIGPIPE, SIG_DFL)
        raise(SIGPIPE)
        _exit(128 + SIGPIPE)
    }
}

/// The writing end of the pipe of signals: a handler may touch nothing but a lock-free atomic.
private let signalPipe = Atomic<Int32>(-1)
