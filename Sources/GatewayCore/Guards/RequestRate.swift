/// The number of requests that a caller may make in a period.
package struct RequestRate: Sendable, Equatable {
    /// The maximum number of requests within ``window``. At least 1.
    package var requests: Int
    /// The period. At least one millisecond.
    package var window: Duration

    /// Creates a rate. Smaller values are raised to one request and one millisecond.
    package init(_ requests: Int, in window: Duration) {
        self.requests = max(1, requests)
        self.window = max(.milliseconds(1), window)
    }

    /// Returns a rate of `requests` per minute.
    package static func perMinute(_ requests: Int) -> RequestRate {
        RequestRate(requests, in: .seconds(60))
    }
}
