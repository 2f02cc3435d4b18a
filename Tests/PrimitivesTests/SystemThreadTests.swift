import Foundation
import Primitives
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(20))) struct SystemThreadTests {
    @Test("a thread runs its body once, on its own thread, and can be joined")
    func join() throws {
        let ran = Counter()
        try SystemThread.start { ran.add(SystemThread.current) }.join()
        #expect(ran.values.count == 1 && ran.values != [SystemThread.current])
    }

    @Test(
        "signals are blocked by default, and the starting thread keeps its signal mask",
        arguments: [true, false])
    func signals(_ areBlocked: Bool) throws {
        let blocked = Counter()
        try SystemThread.start(blocksSignals: areBlocked) {
            var mask = sigset_t()
            pthread_sigmask(SIG_SETMASK, nil, &mask)
            blocked.add(UInt(sigismember(&mask, SIGUSR1)))
        }.join()
        var own = sigset_t()
        pthread_sigmask(SIG_SETMASK, nil, &own)
        #expect(blocked.values == [areBlocked ? 1 : UInt(sigismember(&own, SIGUSR1))])
    }

    @Test("niceness applies to the thread, and not to the one that started it")
    func niceness() throws {
        let own = getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0)
        let nice = Counter()
        try SystemThread.start(niceness: 12) {
            nice.add(UInt(getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0)))
        }.join()
        #expect(nice.values == [12])
        #expect(getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0) == own)
    }
}

/// Values that threads add.
private final class Counter: Sendable {
    private let held = Mutex<[UInt]>([])
    var values: [UInt] { held.withLock { $0 } }
    func add(_ value: UInt) { held.withLock { $0.append(value) } }
}
