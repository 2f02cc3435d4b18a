package import FoundationEssentials
import Synchronization

/// When a library was searched, and since when the next search must look for changes.
///
/// The times of the server and of this machine may differ, and the clock of this machine may be set. A search therefore
/// begins a day before the previous one, and the whole library is searched once a day.
package final class SearchTimes: Sendable {
    private static let overlap = Duration.seconds(24 * 3_600)

    private struct Times {
        var last: ContinuousClock.Instant
        var lastWhole: ContinuousClock.Instant
    }

    private let times: Mutex<Times?>

    /// Creates the times of a library that was not searched yet, or was searched as a whole at a time.
    package init(whole time: ContinuousClock.Instant? = nil) {
        times = Mutex(time.map { Times(last: $0, lastWhole: $0) })
    }

    /// Calls `body` with the time since which changes are searched, or nil for the whole library. If `body` returns, the
    /// search counts.
    ///
    /// - Parameters:
    ///   - now: The time of the wall clock.
    ///   - instant: The time of the continuous clock.
    ///   - body: Performs the search.
    /// - Throws: The error of `body`. The search does not count then.
    package func search(
        now: Date = Date(), at instant: ContinuousClock.Instant = .now, _ body: (Date?) async throws -> Void
    ) async throws {
        let since = since(now: now, at: instant)
        try await body(since)
        times.withLock { times in
            times = Times(last: instant, lastWhole: since == nil ? instant : times?.lastWhole ?? instant)
        }
    }

    private func since(now: Date, at instant: ContinuousClock.Instant) -> Date? {
        guard let times = times.withLock({ $0 }), times.lastWhole + Self.overlap > instant else { return nil }
        let past = instant - times.last + Self.overlap
        return now.addingTimeInterval(-TimeInterval(past.components.seconds))
    }
}
