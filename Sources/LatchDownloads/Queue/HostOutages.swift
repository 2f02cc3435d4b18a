import FoundationEssentials
import HTTPClient
import LatchKit
import Primitives

/// Why a host gives nothing to anybody now, as far as one task can see.
struct HostTrouble: Sendable, Equatable {
    /// What people are told.
    var reason: String
    /// Whether no connection came about, or the server says itself that it gives nothing to anybody; else something
    /// answered, and it may be the fault of what was asked for.
    var isUnreachable: Bool
    /// How long the server wants to be left alone.
    var pause: Duration?

    /// Trouble at a host; where its server wants to be left alone for longer than it is, that is said.
    init(reason: String, isUnreachable: Bool, wait: Duration? = nil) {
        self.reason = reason
        self.isUnreachable = isUnreachable
        pause = wait.map { min($0, BackOff.longestAskedFor) }
        guard let wait, wait > BackOff.longestAskedFor else { return }
        self.reason +=
            " It asks for \(Int((wait.seconds / 3_600).rounded())) hours, which is longer than is waited here."
    }

    /// The same without what stands behind the `?` of an address.
    func masked(of url: String) -> Self {
        var trouble = self
        trouble.reason = SealedQuery.masked(reason, of: url)
        return trouble
    }

    /// Reads a failure; nil where it is no matter of the host.
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
        case .foreignAnswer: self.init(reason: error.message, isUnreachable: false, wait: error.retryAfter)
        case .rateLimited, .serverError:
            self.init(reason: error.message, isUnreachable: false, wait: error.retryAfter)
        case .offline:
            guard let trouble = cause.flatMap(HostTrouble.init) else { return nil }
            self = trouble
        default: return nil
        }
    }
}

/// The hosts that cannot be reached, fail as a whole, or want to be left alone.
///
/// What waits for such a host is not tried meanwhile, and none of its tries is used up. When the pause is over one task
/// goes first: at an answer all others may go, without one the next pause is longer.
///
/// Source: DL-13, DL-14.
struct HostOutages {
    /// What becomes of a task that has met trouble.
    enum Verdict: Equatable {
        /// It may be a matter of this task alone: it is tried again as after any other failure.
        case once
        /// It waits with the others until then; whether they have begun to wait just now.
        case rests(until: Date, isNew: Bool)
        /// The host has been waited for as long as it shall be.
        case isOver(waited: Double)
    }

    private struct Outage {
        var failures = 0
        var pauses = 0
        var waited = 0.0
        /// When one task goes first; nil while the host does not rest.
        var until: Date?
        var first: Int?
        var reason = ""
        var sentence = ""
    }

    /// So many failures in a row are no matter of single tasks.
    private static let failuresInRow = 2

    private var outages: [String: Outage] = [:]

    /// Takes the failure of a task, and says what becomes of it.
    ///
    /// The host's pauses may be as long as `maximum`, all together; nil for ever. `chance`, from 0 to 1, spreads them.
    mutating func failed(
        _ row: QueuedTask, _ trouble: HostTrouble, now: Date, maximum: Duration?, chance: Double
    ) -> Verdict {
        var outage = outages[row.host] ?? Outage()
        defer { outages[row.host] = outage }
        let isNew = outage.until == nil
        if let until = outage.until {
            // What was under way when the pause began says nothing new.
            guard outage.first == row.position else { return .rests(until: until, isNew: false) }
            outage.first = nil
            if let maximum, outage.waited >= maximum.seconds {
                outage.until = .distantFuture
                return .isOver(waited: outage.waited)
            }
        } else {
            outage.failures += 1
            guard outage.failures >= Self.failuresInRow || trouble.pause != nil else { return .once }
        }
        let pause = max(BackOff.pause(after: outage.pauses, chance: chance), trouble.pause?.seconds ?? 0)
        outage.pauses += 1
        outage.waited += pause
        let until = now.addingTimeInterval(pause)
        outage.until = until
        outage.reason = trouble.reason
        if isNew { outage.sentence = "\(trouble.reason) Its files wait; it is tried again in \(Self.text(pause))." }
        return .rests(until: until, isNew: isNew)
    }

    /// Takes the word of a task that its host answers; whether that ends a rest.
    mutating func answered(_ row: QueuedTask) -> Bool {
        guard let outage = outages[row.host], outage.until == nil || outage.first == row.position else { return false }
        outages[row.host] = nil
        return outage.until != nil
    }

    /// Notes that a task begins; at a host that has rested it is the first one.
    mutating func began(_ row: QueuedTask) {
        if outages[row.host]?.until != nil { outages[row.host]?.first = row.position }
    }

    /// Whether a task is the one that goes first.
    func isFirst(_ row: QueuedTask) -> Bool { outages[row.host]?.first == row.position }

    /// Notes that a task is not fetched any more: another may be the first one.
    mutating func left(_ row: QueuedTask) {
        if outages[row.host]?.first == row.position { outages[row.host]?.first = nil }
    }

    /// Ends the outage of a host that was waited for in vain.
    mutating func end(_ host: String) { outages[host] = nil }

    /// The pause of a host, to be stored; nil while it has none.
    func pause(of host: String) -> HostPause? {
        guard let outage = outages[host], let until = outage.until, until != .distantFuture else { return nil }
        return HostPause(host: host, until: until, reason: outage.reason)
    }

    /// Takes over stored pauses, except for hosts that have an outage here already.
    mutating func takeUp(_ pauses: [HostPause]) {
        for pause in pauses where outages[pause.host] == nil {
            outages[pause.host] = Outage(until: pause.until, reason: pause.reason, sentence: pause.sentence)
        }
    }

    /// Lets a first task go now at every paused host except these.
    mutating func tryNow(but hosts: Set<String>) {
        for (host, outage) in outages
        where outage.until != nil && outage.until != .distantFuture && !hosts.contains(host) {
            outages[host]?.until = .distantPast
        }
    }

    /// Ends all; whether a host rested.
    mutating func endAll() -> Bool {
        defer { outages = [:] }
        return sentence != nil
    }

    /// Lets a first task of each go now, as when the network is back.
    mutating func tryNow() { tryNow(but: []) }

    /// Whether nothing may begin at some host.
    var isEmpty: Bool { outages.isEmpty }

    /// The hosts at which nothing may begin now.
    func closed(_ now: Date) -> Set<String> {
        Set(outages.filter { $0.value.first != nil || $0.value.until.map { $0 > now } ?? false }.keys)
    }

    /// What people are told of a host that rests.
    var sentence: String? {
        outages.filter { $0.value.until != nil }.min { $0.key < $1.key }?.value.sentence
    }

    private static func text(_ seconds: Double) -> String {
        switch seconds {
        case ..<120: "\(max(1, Int(seconds.rounded()))) s, then more and more seldom"
        case ..<7_200: "\(Int((seconds / 60).rounded())) minutes"
        default: "\(Int((seconds / 3_600).rounded())) hours"
        }
    }
}
