import FoundationEssentials
import Synchronization
import TestSupport
import Testing

@testable import GatewayCore
@testable import LatchGateway

/// The difference between the clocks of a gateway and of its database.
@Suite("Clock of the database", .timeLimit(.minutes(1)))
struct ClockWatchTests {
    private func page(_ metrics: Metrics) -> String {
        MetricsPage.text(
            metrics.counts,
            MetricsPage.Gauges(
                sessionsCached: 0, hashingQueueDepth: 0, databaseCommits: 0, databaseWrites: 0, databaseErrors: 0,
                droppedLogLines: 0))
    }

    @Test func `the difference is a metric, and a line is logged when it exceeds a minute and when it no longer does`()
    {
        let text = Mutex("")
        let log = Log(writer: LogWriter { lines in text.withLock { $0 += String(decoding: lines, as: UTF8.self) } }) {
            Date(timeIntervalSince1970: 0)
        }
        let metrics = Metrics()
        let watch = ClockWatch(log: log, metrics: metrics)
        watch.compare(nil)
        #expect(!page(metrics).contains("clock"))
        for seconds in [60.0, -60, 60.5, -61, 90, 59, 0, -1.25] { watch.compare(.seconds(seconds)) }
        log.flush()
        let lines = text.withLock { $0.split(separator: "\n") }
        #expect(lines.count == 2)
        #expect(lines.first?.contains("differ by more than a minute") == true)
        #expect(lines.last?.contains("agree again") == true)
        #expect(page(metrics).contains("\nlatchd_database_clock_difference_seconds -1.25\n"))
    }
}
