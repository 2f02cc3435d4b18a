import FoundationEssentials
import Synchronization

/// A sign-in that failed, or a lock-out.
struct SignInFailure: Sendable {
    /// Counts from the start of the program.
    let number: Int
    let time: Date
    let event: AuditEvent
}

/// The last sign-ins that failed, for an administrator to look at; they are in memory only, and no more than ``capacity``.
final class SignInFailures: Sendable {
    /// How many are kept.
    static let capacity = 500

    private struct State {
        /// The newest last.
        var kept: [SignInFailure] = []
        var count = 0
    }

    private let state = Mutex(State())

    /// Keeps an event, when it is a failure.
    func note(_ event: AuditEvent, at time: Date) {
        guard event.kind == .signInFailed || event.kind == .lockedOut else { return }
        state.withLock { state in
            state.count += 1
            // Dropping a hundred at once costs little for each.
            if state.kept.count >= Self.capacity { state.kept.removeFirst(100) }
            state.kept.append(SignInFailure(number: state.count, time: time, event: event))
        }
    }

    /// The newest before a number, the newest first.
    func page(before number: Int?, limit: Int) -> [SignInFailure] {
        state.withLock { state in
            Array(state.kept.reversed().lazy.filter { $0.number < number ?? Int.max }.prefix(limit))
        }
    }
}
