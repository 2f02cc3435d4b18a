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
        var ended: [(token: String, at: ContinuousClock.Instant)] = []
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

    /// Records that a session ended, at the latest now, and that this was confirmed.
    func end(_ token: String) { state.withLock { $0.ended.append((token, .now)) } }

    /// The tokens whose end was confirmed, in this order.
    var ended: [(token: String, at: ContinuousClock.Instant)] { state.withLock { $0.ended } }

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
