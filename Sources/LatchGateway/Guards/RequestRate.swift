/// How many requests one caller may make in a time.
public struct RequestRate: Sendable, Equatable {
    /// How many there may be within ``window``.
    public var requests: Int
    /// The time.
    public var window: Duration

    /// Makes a rate; less than one request, or no time, is one request in a millisecond.
    public init(_ requests: Int, in window: Duration) {
        self.requests = max(1, requests)
        self.window = max(.milliseconds(1), window)
    }

    /// So many requests a minute.
    public static func perMinute(_ requests: Int) -> RequestRate {
        RequestRate(requests, in: .seconds(60))
    }
}
