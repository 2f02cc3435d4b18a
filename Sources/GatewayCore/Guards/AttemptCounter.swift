import FoundationEssentials

/// Counts the failed attempts of one address or one account.
///
/// An attempt reserves a place before the password is checked and releases it afterwards. So there are never more
/// concurrent attempts than remaining places.
struct AttemptCounter: Sendable {
    private(set) var failures = 0
    private(set) var inProgress = 0
    private var lockOuts = 0
    private var windowEnds: Date
    private var lockedUntil: Date

    /// Creates a counter without failures.
    init() {
        windowEnds = .distantPast
        lockedUntil = .distantPast
    }

    /// Reserves a place.
    ///
    /// - Returns: Nil when a place was reserved; otherwise the time to wait.
    mutating func reserve(_ limit: AttemptLimit, at now: Date) -> Duration? {
        advance(limit, now)
        if now < lockedUntil { return .seconds(lockedUntil.timeIntervalSince(now)) }
        // Attempts in progress occupy the remaining places, and they end soon.
        if failures + inProgress >= limit.attempts { return .seconds(1) }
        inProgress += 1
        return nil
    }

    /// Releases a place unused, because the password was not checked.
    mutating func release() {
        releaseReservation()
    }

    /// Releases a place after the correct password.
    mutating func succeed(resettingFailures: Bool) {
        releaseReservation()
        guard resettingFailures else { return }
        failures = 0
        lockOuts = 0
    }

    /// Uses up a place after a wrong password.
    ///
    /// - Returns: The length of the lock-out that starts with this failure; nil when none starts.
    mutating func fail(_ limit: AttemptLimit, at now: Date) -> Duration? {
        releaseReservation()
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

    /// Whether the counter can be dropped without losing information.
    func isIdle(_ limit: AttemptLimit, at now: Date) -> Bool {
        inProgress == 0 && (failures == 0 || now >= windowEnds)
            && (lockOuts == 0 || now >= lockedUntil + limit.maximumLockOut)
    }

    /// How much information is lost by dropping the counter. Greater values mean more. A counter with attempts in
    /// progress is dropped last.
    var weight: Int { inProgress > 0 ? .max : lockOuts * 1_000 + failures }

    private mutating func releaseReservation() {
        // The table may have dropped a counter with reserved places and created a new one.
        inProgress = max(0, inProgress - 1)
    }

    private mutating func advance(_ limit: AttemptLimit, _ now: Date) {
        if now >= windowEnds { failures = 0 }
        if lockOuts > 0, now >= lockedUntil + limit.maximumLockOut { lockOuts = 0 }
        // If the clock was set back, the lock-out must still not exceed its maximum length.
        lockedUntil = min(lockedUntil, now + limit.maximumLockOut)
        windowEnds = min(windowEnds, now + limit.window)
    }
}
