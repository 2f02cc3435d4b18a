import FoundationEssentials
import GatewayCore
import HTTPServer
import Synchronization

/// Logs that a proxy sends requests that cannot be processed, at most once a minute for each reason.
final class ProxyWarnings: Sendable {
    /// What is wrong with the proxy's configuration.
    enum Reason: Hashable {
        /// The address of the proxy is not trusted.
        case untrusted
        /// The proxy omits a required field.
        case incomplete
    }

    private let log: Log
    private let now: @Sendable () -> Date
    private let lastLogged = Mutex<[Reason: Date]>([:])

    init(log: Log, now: @escaping @Sendable () -> Date) {
        self.log = log
        self.now = now
    }

    func record(_ reason: Reason, _ request: ServerRequest) {
        let now = now()
        let isDue = lastLogged.withLock { lastLogged in
            guard lastLogged[reason].map({ now.timeIntervalSince($0) >= 60 }) ?? true else { return false }
            lastLogged[reason] = now
            return true
        }
        guard isDue else { return }
        log.warning(
            reason == .untrusted
                ? "A client that is not a trusted proxy asked who sent a request; see trusted_proxies."
                : "A proxy did not send the host, scheme, method and path of a request; see any-backend.md.",
            ["peer": .text("\(request.peer)"), "request": .text(request.id)])
    }
}
