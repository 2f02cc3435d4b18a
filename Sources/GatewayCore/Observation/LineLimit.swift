package import FoundationEssentials
package import HTTPMessages
import Synchronization

/// Limits how many lines of one kind are logged, because anybody can cause them: 60 in each minute, of which one address
/// or network has its ``AddressKey/share(of:)``.
package final class LineLimit: Sendable {
    private struct State {
        var started = Date(timeIntervalSince1970: 0)
        var count = 0
        var loggedCount = 0
        /// The number of those that were logged, by address and network. It has at most three entries for each.
        var logged: [AddressKey: Int] = [:]
    }

    /// The maximum number in each interval.
    package static let maximum = 60
    private static let interval = 60.0

    private let state = Mutex(State())

    /// Creates a limit without lines.
    package init() {}

    /// Counts a line.
    ///
    /// - Parameters:
    ///   - address: The address that caused it. Nil when many have the same, such as that of a proxy, so that it has no
    ///     share.
    ///   - now: The time.
    /// - Returns: How many were not logged in the interval before. Nil when this one must not be logged either.
    package func admit(from address: AddressKey?, at now: Date) -> Int? {
        let keys = address?.all ?? []
        return state.withLock { state in
            var skipped = 0
            // A clock may also be set back.
            if abs(now.timeIntervalSince(state.started)) >= Self.interval {
                skipped = state.count - state.loggedCount
                state = State(started: now)
            }
            state.count += 1
            guard state.loggedCount < Self.maximum,
                keys.allSatisfy({ state.logged[$0, default: 0] < $0.share(of: Self.maximum) })
            else { return nil }
            state.loggedCount += 1
            for key in keys { state.logged[key, default: 0] += 1 }
            return skipped
        }
    }
}
