import GatewayCore
import Synchronization

/// Whether the gateway takes requests, as `/readyz` says, and whether somebody asks for that.
package final class Readiness: Sendable {
    private let stopping = Flag()
    private let lastProbe = Mutex<ContinuousClock.Instant?>(nil)

    /// Whether the gateway is about to stop.
    var isStopping: Bool { stopping.isRaised }

    /// Makes `/readyz` respond with 503 from now on.
    func beginStopping() { stopping.raise() }

    /// Records a request for `/readyz`.
    func recordProbe() { lastProbe.withLock { $0 = .now } }

    /// Returns whether `/readyz` was requested in the last `duration`.
    func wasProbed(inLast duration: Duration) -> Bool {
        lastProbe.withLock { $0.map { $0.duration(to: .now) <= duration } ?? false }
    }
}
