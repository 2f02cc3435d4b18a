import CLibrary
import CProcess
package import FoundationEssentials
import Primitives
import Synchronization

/// Waits for a date by the system's clock, also while the machine is suspended, without waking up in between.
///
/// One task at a time may wait.
///
/// Source: timerfd_create(2), `TFD_TIMER_CANCEL_ON_SET`.
package final class WallClockTimer: Sendable {
    /// Why a wait ended.
    package enum Wakeup: Sendable {
        /// The date was reached, also during a suspension that has ended.
        case due
        /// The clock was set, or ``WallClockTimer/wake()`` was called.
        case changed
    }

    private let descriptor: Int32
    private let isWoken = Atomic(false)

    /// Creates a timer. Returns nil when the process has too many open files.
    package init?() {
        let descriptor = latch_wall_clock_timer()
        guard descriptor >= 0 else { return nil }
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }

    /// Waits until a date. Returns early when the clock is set, when ``wake()`` is called and when the task is cancelled.
    package func wait(until date: Date) async -> Wakeup {
        // A time of zero would disarm the timer.
        let seconds = min(max(date.timeIntervalSince1970, 1), 4_000_000_000)
        let whole = seconds.rounded(.down)
        latch_wait_until(descriptor, time_t(whole), Int((seconds - whole) * 1e9))
        return await withTaskCancellationHandler {
            // A call of `wake` before the timer was armed.
            if isWoken.load(ordering: .acquiring) { latch_expire(descriptor) }
            let isDue = try? await SystemThread.run { [descriptor] in
                var count: UInt64 = 0
                return read(descriptor, &count, 8) == 8
            }
            let wasWoken = isWoken.exchange(false, ordering: .acquiringAndReleasing)
            return isDue == true && !wasWoken ? .due : .changed
        } onCancel: {
            wake()
        }
    }

    /// Ends the current wait, or the next one if there is none.
    package func wake() {
        isWoken.store(true, ordering: .releasing)
        latch_expire(descriptor)
    }
}
