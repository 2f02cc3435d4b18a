import FoundationEssentials
import HTTPClient
import LatchKit
import Primitives

/// Why a host currently serves nothing, as far as one task can tell.
struct HostFailure: Sendable, Equatable {
    /// The reason as a sentence for people.
    var reason: String
    /// Whether the connection failed, or the server itself says that it serves nothing. When false, the host responded,
    /// and the fault may concern the request only.
    var isUnreachable: Bool
    /// The delay that the server asked for, at most a day. Nil when it did not ask for one.
    var pause: Duration?

    /// Creates a host failure. If the server requests a longer pause than the maximum, the reason says so.
    init(reason: String, isUnreachable: Bool, wait: Duration? = nil) {
        self.reason = reason
        self.isUnreachable = isUnreachable
        pause = wait.map { min($0, BackOff.longestAskedFor) }
        guard let wait, wait > BackOff.longestAskedFor else { return }
        self.reason +=
            " It requests a pause of \(Int((wait.seconds / 3_600).rounded())) hours, which is longer than the maximum."
    }

    /// Returns this failure without the query of a URL.
    func masked(of url: String) -> Self {
        var failure = self
        failure.reason = SealedQuery.masked(reason, of: url)
        return failure
    }

    /// Interprets an error. Returns nil when it does not concern the whole host.
    init?(_ error: LatchError) {
        let code = error.code
        let cause = error.cause as? LatchError
        switch code {
        case .nameNotFound, .connectionRefused, .unreachable, .tlsFailed, .proxyFailed, .clientCertificate:
            self.init(reason: error.message, isUnreachable: true)
        case _ where code.rawValue.hasPrefix("certificate_"): self.init(reason: error.message, isUnreachable: true)
        case .timedOut, .connectionLost:
            let wasConnected = (error.cause as? TransportError)?.wasConnected ?? true
            self.init(reason: error.message, isUnreachable: !wasConnected)
        case .interceptedResponse: self.init(reason: error.message, isUnreachable: false, wait: error.retryAfter)
        case .rateLimited, .serverError:
            self.init(reason: error.message, isUnreachable: false, wait: error.retryAfter)
        case .offline, .rejectionUnconfirmed:
            guard let failure = cause.flatMap(HostFailure.init) else { return nil }
            self = failure
        default: return nil
        }
    }
}

/// The hosts that are unreachable, fail as a whole, or asked for a delay.
///
/// Tasks of such a host are not tried during its pause, and use up no attempts. After the pause one task is tried
/// first. When the host responds, all others follow; otherwise the next pause is longer.
///
/// Source: DL-13, DL-14.
struct HostOutages {
    /// What happens to a task after a failure.
    enum FailureAction: Equatable {
        /// The failure may concern this task only. The task is retried as after any other failure.
        case once
        /// The task waits with the others of its host until then. `isNew` is true when the pause has just begun.
        case waits(until: Date, isNew: Bool)
        /// The host was waited for as long as allowed, in seconds.
        case isOver(waited: Double)
    }

    private struct Outage {
        var failures = 0
        var pauses = 0
        /// The sum of the pauses that count against a limit, in seconds.
        var waited = 0.0
        var wasUnreachable = false
        /// Whether the host has responded since the outage began.
        var hasReturned = false
        /// When one task is tried first. Nil while the host is not paused.
        var until: Date?
        var first: Int?
        var reason = ""
        var waitReason: WaitReason?
    }

    /// The number of consecutive failures from which on the host is at fault, and not single tasks.
    private static let failuresInRow = 2  // One failure may be the file's.

    private var outages: [String: Outage] = [:]

    /// Records the failure of a task, and decides what happens to it.
    ///
    /// The sum of the host's pauses is limited to `maximum`; nil means no limit. Pauses without a limit do not count
    /// against a later one: a host that was away for hours and now responds with errors has only just come back. Its
    /// pauses begin short again. `random`, from 0 to 1, varies their lengths.
    mutating func failed(
        _ row: QueuedTask, _ failure: HostFailure, now: Date, maximum: Duration?, random: Double
    ) -> FailureAction {
        var outage = outages[row.host] ?? Outage()
        defer { outages[row.host] = outage }
        let isNew = outage.until == nil
        if let until = outage.until {
            // A transfer that was running when the pause began adds no information.
            guard outage.first == row.position else { return .waits(until: until, isNew: false) }
            outage.first = nil
            if let maximum, outage.waited >= maximum.seconds {
                outage.until = .distantFuture  // Given up for this run.
                return .isOver(waited: outage.waited)
            }
        } else {
            outage.failures += 1
            guard outage.failures >= Self.failuresInRow || failure.pause != nil else { return .once }
        }
        if outage.wasUnreachable, !failure.isUnreachable, !outage.hasReturned {
            outage.pauses = 0
            outage.hasReturned = true
        }
        outage.wasUnreachable = failure.isUnreachable
        let pause = max(BackOff.pause(after: outage.pauses, random: random), failure.pause?.seconds ?? 0)
        outage.pauses += 1
        if maximum != nil { outage.waited += pause }
        let until = now.addingTimeInterval(pause)
        outage.until = until
        outage.reason = failure.reason
        if isNew {
            let next = "The next attempt is in \(Self.text(pause))."
            outage.waitReason = WaitReason(.host(nil), "\(failure.reason) Its files wait. \(next)", .retryDownloads)
        }
        return .waits(until: until, isNew: isNew)
    }

    /// Records that the host of a task responds. Returns whether that ended a pause.
    mutating func recordResponse(_ row: QueuedTask) -> Bool {
        // During a pause, only the task that is tried first counts. The others started before the pause.
        guard let outage = outages[row.host], outage.until == nil || outage.first == row.position else { return false }
        outages[row.host] = nil
        return outage.until != nil
    }

    /// Records that a task starts. At a paused host it is the first one.
    mutating func recordStart(_ row: QueuedTask) {
        if outages[row.host]?.until != nil { outages[row.host]?.first = row.position }
    }

    /// Whether a task is the one that is tried first at its host.
    func isFirst(_ row: QueuedTask) -> Bool { outages[row.host]?.first == row.position }

    /// Records that a task is no longer being fetched. Another one may then be tried first.
    mutating func ended(_ row: QueuedTask) {
        if outages[row.host]?.first == row.position { outages[row.host]?.first = nil }
    }

    /// Ends the outage of a host.
    mutating func end(_ host: String) { outages[host] = nil }

    /// Returns the pause of a host in the form in which it is stored. Nil while it has none.
    func pause(of host: String) -> HostPause? {
        // A host that was given up is not stored, so that the next run tries it again.
        guard let outage = outages[host], let until = outage.until, until != .distantFuture else { return nil }
        return HostPause(host: host, until: until, reason: outage.reason)
    }

    /// Adopts stored pauses, except for hosts that already have an outage here.
    mutating func adopt(_ pauses: [HostPause]) {
        for pause in pauses where outages[pause.host] == nil {
            outages[pause.host] = Outage(until: pause.until, reason: pause.reason, waitReason: WaitReason(pause))
        }
    }

    /// Allows a first task to start now at every paused host except the given ones.
    mutating func retryNow(except hosts: Set<String>) {
        for (host, outage) in outages
        where outage.until != nil && outage.until != .distantFuture && !hosts.contains(host) {
            outages[host]?.until = .distantPast
        }
    }

    /// Ends all outages. Returns whether a host was paused.
    mutating func endAll() -> Bool {
        defer { outages = [:] }
        return waitReason != nil
    }

    /// Allows a first task to start now at every paused host, for example when the network is back.
    mutating func retryNow() { retryNow(except: []) }

    /// Whether no host has an outage.
    var isEmpty: Bool { outages.isEmpty }

    /// Returns the hosts at which no transfer may start now.
    func closed(_ now: Date) -> Set<String> {
        Set(outages.filter { $0.value.first != nil || $0.value.until.map { $0 > now } ?? false }.keys)
    }

    /// Why the files of a paused host wait. Nil when no host is paused.
    var waitReason: WaitReason? {
        outages.filter { $0.value.until != nil }.min { $0.key < $1.key }?.value.waitReason
    }

    private static func text(_ seconds: Double) -> String {
        switch seconds {
        case ..<120: "\(max(1, Int(seconds.rounded()))) s, then at increasing intervals"
        case ..<7_200: "\(Int((seconds / 60).rounded())) minutes"
        default: "\(Int((seconds / 3_600).rounded())) hours"
        }
    }
}
