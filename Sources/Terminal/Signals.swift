import CLibrary
import Primitives
import Synchronization

/// Converts the signals that end a program into the cancellation of a task, so that the program can clean up.
///
/// The first signal cancels the task and makes the program drop output that is not read. The second signal ends the
/// program at once, after restoring the terminal. A signal that the parent process set to be ignored stays ignored.
/// SIGHUP does not cancel after ``hangUps()`` was called.
///
/// The signal handler only writes the signal number to a pipe, which a thread reads. Blocking the signals and waiting
/// for them would not work: with an asynchronous `main` the first thread ends in `dispatch_main`, which unblocks all
/// signals.
///
/// Source: `sigaction(2)`; `signal-safety(7)`.
package final class Signals: Sendable {
    /// The received signal and the actions for signals, protected by a lock.
    private struct State {
        var first: Int32?
        var cancel: (@Sendable () -> Void)?
        var hangUps: AsyncStream<Void>.Continuation?
    }

    private let state = Mutex(State())

    /// The first received signal that requests the end of the program. Nil when there was none.
    ///
    /// It is set when the signal arrives, before the task is cancelled: the signal may also have ended a program that
    /// this one uses, and the error that follows must not hide it.
    package var received: Int32? {
        let number = endSignal.load(ordering: .acquiring)
        return number == 0 ? nil : number
    }

    /// Installs the signal handlers.
    package init() {
        // Writing to a closed pipe must return an error instead of raising SIGPIPE, also in C libraries.
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
                let count = CLibrary.read(reader, &number, 1)
                if count == 1 { receive(Int32(number)) } else if count == 0 || errno != EINTR { return }
            }
        }
    }

    /// Sets the action for the first signal. Runs it immediately when the signal has already been received.
    package func onFirst(_ cancel: @escaping @Sendable () -> Void) {
        let came = state.withLock { state in
            state.cancel = cancel
            return state.first != nil
        }
        if came { cancel() }
    }

    /// Returns a stream with an element for each SIGHUP. From now on SIGHUP does not cancel, even if it was ignored
    /// before.
    ///
    /// Signals that arrive before the previous one is consumed are merged. Call this once only.
    package func hangUps() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        state.withLock { $0.hangUps = continuation }
        keepsRunningAfterHangUp.store(true, ordering: .releasing)
        Self.handle(SIGHUP, evenIfIgnored: true)
        return stream
    }

    private func receive(_ number: Int32) {
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
        Descriptor.limitWaits()
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
            if number != SIGHUP || !keepsRunningAfterHangUp.load(ordering: .acquiring) {
                _ = endSignal.compareExchange(expected: 0, desired: number, ordering: .acquiringAndReleasing)
            }
            _ = CLibrary.write(signalPipe.load(ordering: .acquiring), &byte, 1)
            errno = saved
        }
        new.sa_flags = SA_RESTART
        sigaction(number, &new, nil)
    }

    /// `SIG_IGN` as a number, because C closures cannot be compared.
    private static let ignored = 1

    /// Ends the program silently with SIGPIPE, as a write to a closed pipe does by default.
    package static func endByClosedPipe() -> Never {
        EchoGuard.shared.restore()
        signal(SIGPIPE, SIG_DFL)
        raise(SIGPIPE)
        _exit(128 + SIGPIPE)
    }
}

/// The write end of the signal pipe. It is atomic because a signal handler may only access lock-free atomics.
private let signalPipe = Atomic<Int32>(-1)

/// The first signal that requests the end of the program. Zero when there was none.
private let endSignal = Atomic<Int32>(0)

/// Whether SIGHUP is no request to end the program.
private let keepsRunningAfterHangUp = Atomic<Bool>(false)
