/// A cached value that is fetched on first use. Concurrent callers share one fetch.
///
/// A failure is cached too, for a few seconds, so that many callers do not overload a server that is down. A caller
/// that is cancelled does not cancel the fetch, which continues for the others until its own timeout.
actor CachedFetch<Value: Sendable> {
    /// How long a value and a failure are cached, and the minimum time between two early fetches.
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
    private var fetchTask: Task<Value, any Error>?
    private var refetched: ContinuousClock.Instant?

    init(
        _ times: Times = Times(), now: @escaping @Sendable () -> ContinuousClock.Instant,
        fetch: @escaping @Sendable () async throws -> Value
    ) {
        self.times = times
        self.now = now
        self.fetch = fetch
    }

    deinit { fetchTask?.cancel() }

    /// Returns the value and when it was fetched.
    func current() async throws -> (value: Value, moment: ContinuousClock.Instant) {
        if let found, now() - found.moment < times.value { return found }
        return try await fetched()
    }

    /// Returns a value newer than the one fetched at `moment`, which the caller could not use. Nil when the last early
    /// fetch was too recent.
    func newer(than moment: ContinuousClock.Instant) async throws -> Value? {
        if let found, found.moment > moment { return found.value }
        // Joining a running fetch does not count as an early one.
        if fetchTask == nil {
            if let refetched, now() - refetched < times.refetch { return nil }
            refetched = now()
        }
        return try await fetched().value
    }

    private func fetched() async throws -> (value: Value, moment: ContinuousClock.Instant) {
        if let fetchTask { return (try await fetchTask.value, now()) }
        if let failed, now() - failed.moment < times.failure { throw failed.error }
        let fetch = fetch
        let task = Task { try await fetch() }
        fetchTask = task
        defer { fetchTask = nil }
        do {
            let value = try await task.value
            let result = (value, now())
            found = result
            failed = nil
            return result
        } catch {
            // A failure keeps the previous value.
            failed = (error, now())
            throw error
        }
    }
}
