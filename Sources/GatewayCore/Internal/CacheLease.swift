import Synchronization

/// How long the values in memory may be used without asking the database.
///
/// The gateway asks the database for changes several times a second. As long as it gets answers, it renews the lease.
/// When it does not, because the database cannot be reached or because this process was stopped for a while, the lease
/// expires, and every request reads the database. Thus a change by another gateway has an effect within ``length``.
package final class CacheLease: Sendable {
    /// The time from a question to the database to the end of the lease that its answer starts.
    package static let length = Duration.milliseconds(220)

    private static let origin = ContinuousClock.now
    /// The end, in nanoseconds since ``origin``.
    private let end = Atomic<Int64>(.max)

    /// Creates a lease that does not end until it is renewed or expired for the first time.
    package init() {}

    /// Whether the values in memory may be used.
    package var isValid: Bool {
        let end = end.load(ordering: .acquiring)
        return end == .max || Self.nanoseconds(.now) < end
    }

    /// Ends the lease until it is renewed.
    package func expire() { end.store(.min, ordering: .releasing) }

    /// Renews the lease after the changes that the database reported were applied to the values in memory.
    ///
    /// - Parameter asked: When the database was asked.
    package func renew(asked: ContinuousClock.Instant) {
        end.store(Self.nanoseconds(asked + Self.length), ordering: .releasing)
    }

    private static func nanoseconds(_ instant: ContinuousClock.Instant) -> Int64 {
        let (seconds, attoseconds) = origin.duration(to: instant).components
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}
