package import FoundationEssentials
import Synchronization

/// A sign-in that failed, or a lock-out.
package struct SignInFailure: Sendable {
    /// The number of the failure since the start of the program.
    package let number: Int
    package let time: Date
    package let event: AuditEvent
}

/// Keeps the most recent failed sign-ins for administrators, in memory only.
package final class SignInFailures: Sendable {
    /// The maximum number of failures that are kept.
    static let capacity = 500

    private struct State {
        /// The failures, the newest last.
        var failures: [SignInFailure] = []
        var count = 0
    }

    private let state = Mutex(State())

    /// Keeps an event if it is a failure.
    func record(_ event: AuditEvent, at time: Date) {
        guard event.kind == .signInFailed || event.kind == .lockedOut else { return }
        state.withLock { state in
            state.count += 1
            // Removing 100 at once keeps the cost for each event low.
            if state.failures.count >= Self.capacity { state.failures.removeFirst(100) }
            state.failures.append(SignInFailure(number: state.count, time: time, event: event))
        }
    }

    /// Returns at most `limit` failures below a number, the newest first. Nil starts with the newest failure.
    package func page(before number: Int?, limit: Int) -> [SignInFailure] {
        state.withLock { state in
            Array(state.failures.reversed().lazy.filter { $0.number < number ?? Int.max }.prefix(limit))
        }
    }
}
