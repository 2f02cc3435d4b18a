import HTTPMessages
import Synchronization
import TestSupport

/// What the clients saw during faults: error answers, for how long, and broken promises.
final class FailoverRecord: Sendable {
    /// What a request does.
    enum Access: String, CaseIterable { case reads, writes }

    /// A client and what it does.
    fileprivate struct ClientActivity: Hashable {
        let client: String
        let access: Access
    }

    /// A session that ended.
    struct EndedSession {
        let token: String
        /// When every gateway must refuse the token at the latest, which is asked from then on.
        let refusedFrom: ContinuousClock.Instant
        /// What showed that the session ended, for messages.
        let proof: String
    }

    /// When a confirmed revocation must have reached every gateway.
    static let limit = Duration.milliseconds(250)

    /// One fault and what clients saw of it.
    struct Event {
        let kind: FaultKind
        var errors = 0
        /// The longest time from an error answer of a client to its next success.
        var longest: [Access: Duration] = [:]
    }

    fileprivate struct State {
        var events: [Event] = []
        /// Since when a client gets errors, and in which event that began.
        var outages: [ClientActivity: (since: ContinuousClock.Instant, event: Int)] = [:]
        var successes: [ClientActivity: Int] = [:]
        var violations: [String] = []
        var ended: [EndedSession] = []
        var isStopped = false
    }

    private let state = Mutex(State())

    var violations: [String] { state.withLock { $0.violations } }
    var events: [Event] { state.withLock { $0.events } }
    var answers: Int { state.withLock { $0.successes.values.reduce(0, +) } }
    /// Whether the clients shall stop.
    var isStopped: Bool { state.withLock { $0.isStopped } }

    func stop() { state.withLock { $0.isStopped = true } }

    func begin(_ kind: FaultKind) { state.withLock { $0.events.append(Event(kind: kind)) } }

    /// Records a promise that was broken.
    func addViolation(_ text: String) {
        state.withLock { state in
            state.violations.append("\(text) (\(state.events.last?.kind.rawValue ?? "before all faults"))")
        }
    }

    /// Records an answer to a client.
    func answered(_ client: String, _ access: Access, _ status: HTTPStatus, hasRetryAfter: Bool) {
        let isError = status.rawValue >= 500
        if isError, status != .serviceUnavailable || !hasRetryAfter {
            addViolation("\(client) got \(status.rawValue)\(hasRetryAfter ? "" : " without Retry-After")")
        }
        let activity = ClientActivity(client: client, access: access)
        state.withLock { isError ? $0.fail(activity) : $0.succeed(activity) }
    }

    /// Records that a session ended.
    ///
    /// - Parameters:
    ///   - token: The token of the session.
    ///   - isConfirmed: Whether the answer to the change was received just now. Otherwise another answer showed that an
    ///     earlier change had its effect. The database may tell the gateways about that a little later.
    ///   - proof: The answer, for messages.
    func end(_ token: String, isConfirmed: Bool, _ proof: String) {
        let limit = Self.limit + (isConfirmed ? .zero : .seconds(1))
        state.withLock { $0.ended.append(EndedSession(token: token, refusedFrom: .now + limit, proof: proof)) }
    }

    /// The sessions that ended, in this order.
    var ended: [EndedSession] { state.withLock { $0.ended } }

    /// Waits until every client has read and written once more.
    func everyClientWorks() async throws {
        let before = state.withLock { $0.successes }
        try await eventually {
            self.state.withLock { state in
                state.isStopped
                    || state.outages.isEmpty && before.allSatisfy { state.successes[$0.key] ?? 0 > $0.value }
            }
        }
    }
}

extension FailoverRecord.State {
    fileprivate mutating func fail(_ activity: FailoverRecord.ClientActivity) {
        guard let current = events.indices.last else {
            return violations.append("\(activity.client) got an early error")
        }
        let event = outages[activity]?.event ?? current
        if outages[activity] == nil { outages[activity] = (.now, event) }
        events[event].errors += 1
    }

    fileprivate mutating func succeed(_ activity: FailoverRecord.ClientActivity) {
        successes[activity, default: 0] += 1
        guard let outage = outages.removeValue(forKey: activity) else { return }
        let duration = outage.since.duration(to: .now)
        events[outage.event].longest[activity.access] = max(
            events[outage.event].longest[activity.access] ?? .zero, duration)
    }
}
