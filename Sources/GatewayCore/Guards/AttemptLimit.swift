/// The number of failures before a lock-out, and the length of lock-outs.
package struct AttemptLimit: Sendable, Equatable {
    /// The number of failures within ``window`` that start a lock-out. At least 1.
    package var attempts: Int
    /// How long failures count, starting with the first one.
    package var window: Duration
    /// The length of the first lock-out. Each further one is twice as long. 30 seconds by default.
    package var firstLockOut: Duration
    /// The maximum length of a lock-out. 15 minutes by default. When this time has passed since the last lock-out, the
    /// next one is a first one again.
    package var maximumLockOut: Duration

    /// The limit with `factor` times as many failures.
    func times(_ factor: Int) -> AttemptLimit {
        var limit = self
        limit.attempts = attempts.multipliedReportingOverflow(by: factor).overflow ? .max : attempts * factor
        return limit
    }

    /// Creates a limit.
    package init(
        attempts: Int, window: Duration, firstLockOut: Duration = .seconds(30),
        maximumLockOut: Duration = .seconds(900)
    ) {
        self.attempts = max(1, attempts)
        self.window = window
        self.firstLockOut = firstLockOut
        self.maximumLockOut = max(firstLockOut, maximumLockOut)
    }
}
