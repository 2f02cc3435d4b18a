import FoundationEssentials
import Synchronization

/// What the gateway counts of itself. Names of routes and outcomes only: never anything of a request's content.
///
/// Source: invariant 3; Prometheus, "Metric and label naming".
final class Metrics: Sendable {
    /// What became of a sign-in.
    enum SignIn: String, CaseIterable, Sendable {
        case succeeded, refused, limited, busy
    }

    /// What became of a refresh.
    enum Refresh: String, CaseIterable, Sendable {
        case succeeded, refused
    }

    /// What requests are counted by. The route is the pattern, so there are as many as there are routes.
    struct RequestKind: Hashable, Sendable {
        let route: String
        let method: String
        let statusClass: Int
    }

    /// The counters at one moment.
    struct Counts: Sendable {
        var requests: [RequestKind: Int] = [:]
        var durations: [String: Histogram] = [:]
        var signIns: [SignIn: Int] = [:]
        var refreshes: [Refresh: Int] = [:]
    }

    private let state = Mutex(Counts())

    /// The counters now.
    var counts: Counts { state.withLock { $0 } }

    /// Counts a request that was answered.
    func request(route: String?, method: String, status: Int, duration: Duration) {
        let route = route ?? "none"
        let kind = RequestKind(route: route, method: Self.known(method), statusClass: status / 100)
        state.withLock { state in
            state.requests[kind, default: 0] += 1
            state.durations[route, default: Histogram()].record(duration.seconds)
        }
    }

    /// Counts a sign-in.
    func signIn(_ outcome: SignIn) {
        state.withLock { $0.signIns[outcome, default: 0] += 1 }
    }

    /// Counts a refresh.
    func refresh(_ outcome: Refresh) {
        state.withLock { $0.refreshes[outcome, default: 0] += 1 }
    }

    /// A client chooses its method freely and must not choose how many counters there are.
    private static func known(_ method: String) -> String {
        switch method {
        case "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS": method
        default: "other"
        }
    }
}

/// How many requests took how long.
struct Histogram: Sendable {
    /// The upper ends of the buckets, in seconds; the last bucket has none.
    static let bounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

    /// How many values fell into each bucket, by itself.
    private(set) var buckets = [Int](repeating: 0, count: bounds.count + 1)
    /// The sum of all values, in seconds.
    private(set) var sum = 0.0

    /// How many values there were.
    var count: Int { buckets.reduce(0, +) }

    /// Counts a value in seconds.
    mutating func record(_ value: Double) {
        let bucket = Self.bounds.firstIndex { value <= $0 } ?? Self.bounds.count
        buckets[bucket] += 1
        sum += value
    }
}
