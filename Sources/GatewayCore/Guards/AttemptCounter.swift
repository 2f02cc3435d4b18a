import FoundationEssentials

/// Counts the failed attempts of one address or one account.
///
/// The counter does not know which attempts are in progress. They are counted in the database, where each of them has
/// an end, because a gateway that is killed does not settle its attempts.
struct AttemptCounter: Sendable, Equatable {
    private(set) var failures: Int
    private(set) var lockOuts: Int
    private(set) var windowEnds: Date
    private(set) var lockedUntil: Date

    /// Creates a counter without failures.
    init() {
        self.init(failures: 0, lockOuts: 0, windowEnds: Self.past, lockedUntil: Self.past)
    }

    /// Creates a counter with stored values.
    init(failures: Int, lockOuts: Int, windowEnds: Date, lockedUntil: Date) {
        self.failures = failures
        self.lockOuts = lockOuts
        self.windowEnds = windowEnds
        self.lockedUntil = lockedUntil
    }

    /// A time before all others. Unlike `Date.distantPast` it can be stored as a small number.
    private static let past = Date(timeIntervalSince1970: 0)

    /// Decides whether another attempt may begin.
    ///
    /// - Parameters:
    ///   - limit: The limit of the counter.
    ///   - inProgress: The number of attempts in progress.
    ///   - now: The time.
    /// - Returns: Nil when the attempt may begin; otherwise the time to wait.
    mutating func wait(_ limit: AttemptLimit, inProgress: Int, at now: Date) -> Duration? {
        advance(limit, now)
        if now < lockedUntil { return .seconds(lockedUntil.timeIntervalSince(now)) }
        // Attempts in progress occupy the remaining places, and they end soon.
        return failures + inProgress >= limit.attempts ? .seconds(1) : nil
    }

    /// Forgets the failures after the correct password. A lock-out that other attempts started meanwhile stays.
    mutating func reset() {
        failures = 0
        lockOuts = 0
    }

    /// Counts a wrong password.
    ///
    /// - Returns: The length of the lock-out that starts with this failure; nil when none starts.
    mutating func fail(_ limit: AttemptLimit, at now: Date) -> Duration? {
        // The window may have ended while the password was checked.
        advance(limit, now)
        if failures == 0 { windowEnds = now + limit.window }
        failures += 1
        guard failures >= limit.attempts else { return nil }
        // A larger shift exceeds any maximum and could overflow.
        let length = min(limit.firstLockOut * (1 << min(lockOuts, 30)), limit.maximumLockOut)
        lockOuts += 1
        failures = 0
        lockedUntil = now + length
        return length
    }

    private mutating func advance(_ limit: AttemptLimit, _ now: Date) {
        if now >= windowEnds { failures = 0 }
        if lockOuts > 0, now >= lockedUntil + limit.maximumLockOut { lockOuts = 0 }
        // If the clock was set back, the lock-out must still not exceed its maximum length.
        lockedUntil = min(lockedUntil, now + limit.maximumLockOut)
        windowEnds = min(windowEnds, now + limit.window)
    }
}
