import GatewayCore
import Synchronization

/// Measures how much the clock of the database differs from the one of this gateway. Logs that it differs too much: once
/// when it begins, and once when it ends.
///
/// A difference of a minute does no harm. With a larger one, a gateway may accept what has expired, or refuse what has
/// not.
final class ClockWatch: Sendable {
    private let log: Log
    private let metrics: Metrics
    private let isWrong = Mutex(false)

    init(log: Log, metrics: Metrics) {
        self.log = log
        self.metrics = metrics
    }

    /// Compares the clocks. Nil means that there is only one clock.
    func compare(_ difference: Duration?) {
        guard let difference else { return }
        metrics.recordClockDifference(difference)
        let isWrong = !ClockDifference.isTolerated(difference)
        let isNew = self.isWrong.withLock { known in
            defer { known = isWrong }
            return known != isWrong
        }
        guard isNew else { return }
        let seconds = Int((difference / .seconds(1)).rounded())
        if isWrong {
            log.error(
                "The clocks of this machine and of the database differ by more than a minute; set both by NTP.",
                ["databaseAheadSeconds": .number(seconds)])
        } else {
            log.info(
                "The clocks of this machine and of the database agree again.",
                ["databaseAheadSeconds": .number(seconds)])
        }
    }
}
