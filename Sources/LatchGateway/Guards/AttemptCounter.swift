import FoundationEssentials

/// The failures of one address or one account.
///
/// An attempt takes a place before the password is looked at and gives it back, or not, after: as many guesses at the
/// same time as places are left, and no more.
struct AttemptCounter: Sendable {
    private(set) var failures = 0
    private(set) var underWay = 0
    private var lockOuts = 0
    private var windowEnds: Date
    private var lockedUntil: Date

    /// The counter of somebody who was not seen before.
    init() {
        windowEnds = .distantPast
        lockedUntil = .distantPast
    }

    /// Takes a place.
    ///
    /// - Returns: Nil when it was taken; otherwise for how long to stay away.
    mutating func reserve(_ limit: AttemptLimit, at now: Date) -> Duration? {
        settleTime(limit, now)
        if now < lockedUntil { return .seconds(lockedUntil.timeIntervalSince(now)) }
        if failures + underWay >= limit.attempts { return .seconds(1) }
        underWay += 1
        return nil
    }

    /// Gives a place back unused: nothing was learnt about the password.
    mutating func release() {
        leave()
    }

    /// Gives a place back after the right password.
    mutating func succeed(forgettingFailures: Bool) {
        leave()
        guard forgettingFailures else { return }
        failures = 0
        lockOuts = 0
    }

    /// Uses a place up with a wrong password.
    ///
    /// - Returns: How long the lock-out is when this failure led to one.
    mutating func fail(_ limit: AttemptLimit, at now: Date) -> Duration? {
        leave()
        settleTime(limit, now)
        if failures == 0 { windowEnds = now + limit.window }
        failures += 1
        guard failures >= limit.attempts else { return nil }
        // Shifting further than this is past any maximum.
        let length = min(limit.firstLockOut * (1 << min(lockOuts, 30)), limit.maximumLockOut)
        lockOuts += 1
        failures = 0
        lockedUntil = now + length
        return length
    }

    /// Whether dropping the counter loses nothing.
    func isIdle(_ limit: AttemptLimit, at now: Date) -> Bool {
        underWay == 0 && (failures == 0 || now >= windowEnds)
            && (lockOuts == 0 || now >= lockedUntil + limit.maximumLockOut)
    }

    /// How much is lost by dropping the counter; greater is more. One with attempts under way is dropped last.
    var weight: Int { underWay > 0 ? .max : lockOuts * 1_000 + failures }

    private mutating func leave() {
        // The table may have dropped a counter with places taken and made a new one.
        underWay = max(0, underWay - 1)
    }

    private mutating func settleTime(_ limit: AttemptLimit, _ now: Date) {
        if now >= windowEnds { failures = 0 }
        if lockOuts > 0, now >= lockedUntil + limit.maximumLockOut { lockOuts = 0 }
        // A clock set back must not make a lock-out longer than it can be.
        lockedUntil = min(lockedUntil, now + limit.maximumLockOut)
        windowEnds = min(windowEnds, now + limit.window)
    }
}
