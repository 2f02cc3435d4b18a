import FoundationEssentials
import HTTPServer
import Synchronization

/// Logs that a proxy sends requests that cannot be processed, at most once a minute for each reason.
final class ProxyComplaints: Sendable {
    /// What is wrong with the proxy's configuration.
    enum Reason: Hashable {
        /// The address of the proxy is not trusted.
        case untrusted
        /// The proxy omits a required field.
        case incomplete
    }

    private let log: Log
    private let now: @Sendable () -> Date
    private let told = Mutex<[Reason: Date]>([:])

    init(log: Log, now: @escaping @Sendable () -> Date) {
        self.log = log
        self.now = now
    }

    func note(_ reason: Reason, _ request: ServerRequest) {
        let now = now()
        let isDue = told.withLock { told in
            guard told[reason].map({ now.timeIntervalSince($0) >= 60 }) ?? true else { return false }
            told[reason] = now
            return true
        }
        guard isDue else { return }
        log.warning(
            reason == .untrusted
                ? "Somebody who is no trusted proxy asked whose a request is; see trusted_proxies."
                : "A proxy asked whose a request is and did not tell its host, scheme, method and path; see any-backend.md.",
            ["peer": .text("\(request.peer)"), "request": .text(request.id)])
    }
}
