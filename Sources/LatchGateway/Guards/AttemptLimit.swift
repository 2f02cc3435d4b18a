/// How many failures are let through before a lock-out, and how that grows.
public struct AttemptLimit: Sendable, Equatable {
    /// How many failures within ``window`` lead to a lock-out.
    public var attempts: Int
    /// How long failures count, from the first.
    public var window: Duration
    /// How long the first lock-out is; each further one is twice as long.
    public var firstLockOut: Duration
    /// How long a lock-out is at most. After a quiet time as long as this, the next one is a first one again.
    public var maximumLockOut: Duration

    /// Makes a limit.
    public init(
        attempts: Int, window: Duration, firstLockOut: Duration = .seconds(30),
        maximumLockOut: Duration = .seconds(900)
    ) {
        self.attempts = max(1, attempts)
        self.window = window
        self.firstLockOut = firstLockOut
        self.maximumLockOut = max(firstLockOut, maximumLockOut)
    }
}
