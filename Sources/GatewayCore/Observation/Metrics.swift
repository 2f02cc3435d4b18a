package import FoundationEssentials
import HTTPMessages
import Primitives
import Synchronization

/// The counters of the gateway. Their labels are names of routes and outcomes, never content of a request.
///
/// Source: ARCHITECTURE.md, Invariants, 3; Prometheus, "Metric and label naming".
package final class Metrics: Sendable {
    /// The outcome of a sign-in.
    package enum SignIn: String, CaseIterable, Sendable {
        case succeeded, refused, limited, busy
    }

    /// The outcome of a refresh.
    package enum Refresh: String, CaseIterable, Sendable {
        case succeeded, refused
    }

    /// The outcome of a step of a sign-in through an identity provider.
    package enum BridgeOutcome: String, CaseIterable, Sendable {
        case begun, completed, denied, refused, failed, unavailable
    }

    /// The outcome of an exchange of a one-time code.
    package enum Exchange: String, CaseIterable, Sendable {
        case succeeded, refused, unavailable
    }

    /// An event of an API key. `refused` means a request whose key was refused.
    package enum APIKey: String, CaseIterable, Sendable {
        case made, revoked, refused
    }

    /// A signature that a client sent: a proof of possession, or an assertion with which it authenticates.
    package enum Signature: String, CaseIterable, Sendable {
        case proof, assertion
    }

    /// The requests of one route. The route is a pattern, so the number of counters is limited.
    struct RouteCounts: Sendable {
        /// The number of requests, by index in ``Metrics/methods`` and by first digit of the status.
        private(set) var byMethod = [[Int]](repeating: [Int](repeating: 0, count: 6), count: Metrics.methods.count)
        /// The number of responses with status 503.
        private(set) var unavailable = 0
        /// The durations of the requests.
        private(set) var durations = Histogram()

        mutating func count(method: Int, status: Int, seconds: Double) {
            byMethod[method][min(max(status / 100, 0), 5)] += 1
            if status == HTTPStatus.serviceUnavailable.rawValue { unavailable += 1 }
            durations.record(seconds)
        }
    }

    /// The methods that are counted separately. A client can send any method, so all others are counted together to
    /// limit the number of counters.
    package static let methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "other"]

    /// The values of the counters at one time.
    package struct Counts: Sendable {
        /// The requests, by route.
        var requests: [String: RouteCounts] = [:]
        var signIns: [SignIn: Int] = [:]
        var refreshes: [Refresh: Int] = [:]
        /// The sign-ins through identity providers, by the id of the provider.
        var bridge: [String: [BridgeOutcome: Int]] = [:]
        var exchanges: [Exchange: Int] = [:]
        var apiKeys: [APIKey: Int] = [:]
        /// The verifications of signatures that clients sent.
        var signatures: [Signature: Int] = [:]
        /// The requests that a limit refused.
        var limited: [RequestLimits.Kind: Int] = [:]
        /// The requests of banned addresses.
        var banned = 0
        /// When the database last answered. Nil when it has not answered yet.
        var databaseContact: Date?
        /// How much the clock of the database is ahead. Nil when the database has no clock of its own.
        var databaseClockDifference: Duration?
    }

    private let state = Mutex(Counts())

    /// Creates counters that are all zero.
    package init() {}

    /// The current values of the counters.
    package var counts: Counts { state.withLock { $0 } }

    /// Counts a request after its response.
    package func request(route: String?, method: String, status: Int, duration: Duration) {
        let method = Self.methods.firstIndex(of: method) ?? Self.methods.count - 1
        let seconds = duration.seconds
        state.withLock { state in
            state.requests[route ?? "none", default: RouteCounts()]
                .count(method: method, status: status, seconds: seconds)
        }
    }

    /// Counts a refused request of a banned address.
    package func banned() {
        state.withLock { $0.banned += 1 }
    }

    /// Counts a sign-in.
    package func signIn(_ outcome: SignIn) {
        state.withLock { $0.signIns[outcome, default: 0] += 1 }
    }

    /// Counts a refresh.
    package func refresh(_ outcome: Refresh) {
        state.withLock { $0.refreshes[outcome, default: 0] += 1 }
    }

    /// Counts a step of a sign-in through a configured identity provider.
    package func bridge(_ outcome: BridgeOutcome, at provider: String) {
        state.withLock { $0.bridge[provider, default: [:]][outcome, default: 0] += 1 }
    }

    /// Counts the exchange of a one-time code.
    package func exchange(_ outcome: Exchange) {
        state.withLock { $0.exchanges[outcome, default: 0] += 1 }
    }

    /// Counts an event of an API key.
    package func apiKey(_ outcome: APIKey) {
        state.withLock { $0.apiKeys[outcome, default: 0] += 1 }
    }

    /// Counts a verification of a signature, before it begins.
    package func signature(_ kind: Signature) {
        state.withLock { $0.signatures[kind, default: 0] += 1 }
    }

    /// Records that the database answered.
    package func databaseAnswered(at time: Date) {
        state.withLock { $0.databaseContact = max($0.databaseContact ?? time, time) }
    }

    /// Records how much the clock of the database is ahead of the one of this gateway.
    package func recordClockDifference(_ difference: Duration) {
        state.withLock { $0.databaseClockDifference = difference }
    }

    /// Counts a request that a limit refused.
    package func limited(_ kind: RequestLimits.Kind) {
        state.withLock { $0.limited[kind, default: 0] += 1 }
    }

    /// Returns the method, or `other` if it is not counted separately. Logs use it too, so that they contain no methods
    /// that a client invented.
    package static func known(_ method: String) -> String {
        methods.first { $0 == method } ?? "other"
    }
}

/// The distribution of values in buckets, such as the durations of requests.
struct Histogram: Sendable {
    /// The upper bounds of the buckets, in seconds. The last bucket has none.
    static let bounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

    /// The number of values in each bucket. The numbers are not cumulative.
    private(set) var buckets = [Int](repeating: 0, count: bounds.count + 1)
    /// The sum of all values, in seconds.
    private(set) var sum = 0.0

    /// The number of values.
    var count: Int { buckets.reduce(0, +) }

    /// Records a value in seconds.
    mutating func record(_ value: Double) {
        let bucket = Self.bounds.firstIndex { value <= $0 } ?? Self.bounds.count
        buckets[bucket] += 1
        sum += value
    }
}
