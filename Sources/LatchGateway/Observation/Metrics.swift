import FoundationEssentials
import Primitives
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

    /// What became of a sign-in through an identity provider.
    enum BridgeOutcome: String, CaseIterable, Sendable {
        case begun, completed, denied, refused, failed, unavailable
    }

    /// What became of the exchange of a one-time code.
    enum Exchange: String, CaseIterable, Sendable {
        case succeeded, refused, unavailable
    }

    /// What became of a program's key, or of what came in its place.
    enum APIKey: String, CaseIterable, Sendable {
        case made, revoked, refused
    }

    /// The requests of one route. The route is the pattern, so there are as many as there are routes.
    struct RouteCounts: Sendable {
        /// How many there were of each method and hundred of the status, see ``Metrics/methods``.
        private(set) var byMethod = [[Int]](repeating: [Int](repeating: 0, count: 6), count: Metrics.methods.count)
        /// How long they took.
        private(set) var durations = Histogram()

        mutating func count(method: Int, statusClass: Int, seconds: Double) {
            byMethod[method][statusClass] += 1
            durations.record(seconds)
        }
    }

    /// The methods that are told apart: a client chooses its method freely and must not choose how many counters there
    /// are.
    static let methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "other"]

    /// The counters at one moment.
    struct Counts: Sendable {
        /// By route.
        var requests: [String: RouteCounts] = [:]
        var signIns: [SignIn: Int] = [:]
        var refreshes: [Refresh: Int] = [:]
        /// By the provider's id.
        var bridge: [String: [BridgeOutcome: Int]] = [:]
        var exchanges: [Exchange: Int] = [:]
        var apiKeys: [APIKey: Int] = [:]
        /// Requests that a limit refused.
        var limited: [RequestLimits.Kind: Int] = [:]
    }

    private let state = Mutex(Counts())

    /// The counters now.
    var counts: Counts { state.withLock { $0 } }

    /// Counts a request that was answered.
    func request(route: String?, method: String, status: Int, duration: Duration) {
        let method = Self.methods.firstIndex(of: method) ?? Self.methods.count - 1
        let statusClass = min(max(status / 100, 0), 5)
        let seconds = duration.seconds
        state.withLock { state in
            state.requests[route ?? "none", default: RouteCounts()]
                .count(method: method, statusClass: statusClass, seconds: seconds)
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

    /// Counts a step of a sign-in through a configured identity provider.
    func bridge(_ outcome: BridgeOutcome, at provider: String) {
        state.withLock { $0.bridge[provider, default: [:]][outcome, default: 0] += 1 }
    }

    /// Counts the exchange of a one-time code.
    func exchange(_ outcome: Exchange) {
        state.withLock { $0.exchanges[outcome, default: 0] += 1 }
    }

    /// Counts what became of a key.
    func apiKey(_ outcome: APIKey) {
        state.withLock { $0.apiKeys[outcome, default: 0] += 1 }
    }

    /// Counts a request that a limit refused.
    func limited(_ kind: RequestLimits.Kind) {
        state.withLock { $0.limited[kind, default: 0] += 1 }
    }

    /// The method, or the word for those that are not told apart: what a client has made up is not to be logged either.
    static func known(_ method: String) -> String {
        methods.first { $0 == method } ?? "other"
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
