/// A value that is fetched when it is first asked for, held for a while, and fetched once for everybody who waits.
///
/// A failure is held too, for a few seconds, so that a crowd at the door does not press on a server that is down. Who stops
/// waiting leaves the fetch to the others; it ends by its own time limit.
actor CachedFetch<Value: Sendable> {
    /// How long a value is good, how long a failure, and how much time lies between two fetches out of turn.
    struct Times: Sendable {
        var value: Duration = .seconds(3600)
        var failure: Duration = .seconds(3)
        var refetch: Duration = .seconds(10)
    }

    private let times: Times
    private let now: @Sendable () -> ContinuousClock.Instant
    private let fetch: @Sendable () async throws -> Value
    private var found: (value: Value, moment: ContinuousClock.Instant)?
    private var failed: (error: any Error, moment: ContinuousClock.Instant)?
    private var flight: Task<Value, any Error>?
    private var refetched: ContinuousClock.Instant?

    init(
        _ times: Times = Times(), now: @escaping @Sendable () -> ContinuousClock.Instant,
        fetch: @escaping @Sendable () async throws -> Value
    ) {
        self.times = times
        self.now = now
        self.fetch = fetch
    }

    deinit { flight?.cancel() }

    /// The value and when it was fetched.
    func current() async throws -> (value: Value, moment: ContinuousClock.Instant) {
        if let found, now() - found.moment < times.value { return found }
        return try await fetched()
    }

    /// A newer value than the one of `moment`, which has not served; nil when a fetch out of turn was made too short ago.
    func newer(than moment: ContinuousClock.Instant) async throws -> Value? {
        if let found, found.moment > moment { return found.value }
        if flight == nil {
            if let refetched, now() - refetched < times.refetch { return nil }
            refetched = now()
        }
        return try await fetched().value
    }

    private func fetched() async throws -> (value: Value, moment: ContinuousClock.Instant) {
        if let flight { return (try await flight.value, now()) }
        if let failed, now() - failed.moment < times.failure { throw failed.error }
        let fetch = fetch
        let task = Task { try await fetch() }
        flight = task
        defer { flight = nil }
        do {
            let value = try await task.value
            let result = (value, now())
            found = result
            failed = nil
            return result
        } catch {
            failed = (error, now())
            throw error
        }
    }
}
