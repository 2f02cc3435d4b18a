/// Counts received bytes, and measures the transfer rate.
struct ProgressCounter {
    private var counts = OverallProgress()
    private var bytesDone = 0
    private var bytesFailed = 0
    private var allBytes: Int?
    private var samples: [(moment: ContinuousClock.Instant, arrived: Int)] = []
    /// The bytes that ended attempts have received, without what the parts held before.
    private var arrived = 0

    /// The period over which the rate is averaged.
    private static let window = Duration.seconds(5)

    /// Updates the counts from the database. The total is that of all files in the list that are not skipped, so that
    /// it stays the same when a file fails or waits.
    mutating func update(_ rows: [StateCount]) {
        counts = OverallProgress()
        (bytesDone, bytesFailed) = (0, 0)
        var (all, isKnown) = (0, true)
        for row in rows {
            switch row.state {
            case "done": counts.done += row.count
            case "skipped": counts.skipped += row.count
            case "failed": counts.failed += row.count
            default: counts.open += row.count
            }
            if row.state == "done" { bytesDone += row.bytes }
            if row.state == "skipped" { continue }
            all += row.bytes
            if row.state == "failed" {
                bytesFailed = row.bytes
                continue
            }
            if row.sized < row.count { isKnown = false }
        }
        allBytes = isKnown ? all : nil
    }

    /// Adds the bytes that an ended attempt has received.
    mutating func arrived(_ bytes: Int) { arrived += max(0, bytes) }

    /// Returns the progress of all tasks, including the running ones.
    ///
    /// - Parameters:
    ///   - received: The number of bytes in the parts of the running tasks.
    ///   - kept: The number of bytes in the parts of other tasks.
    ///   - gained: How many of these bytes the current attempts have received, for the rate. Nil when unknown; the rate
    ///     is then computed from all received bytes.
    ///   - now: The time.
    /// - Returns: The counts, the rate and the remaining time.
    mutating func overall(received: Int, kept: KeptBytes, gained: Int?, now: ContinuousClock.Instant) -> OverallProgress
    {
        var overall = counts
        overall.received = bytesDone + received + kept.open + kept.failed
        overall.total = allBytes
        let all = gained.map { self.arrived + $0 } ?? overall.received
        samples.append((now, all))
        samples.removeAll { $0.moment + Self.window < now }
        if let first = samples.first, first.moment < now {
            let time = first.moment.duration(to: now)
            let seconds = Double(time.components.seconds) + Double(time.components.attoseconds) * 1e-18
            overall.rate = max(0, Double(all - first.arrived) / seconds)
        }
        if let total = overall.total, overall.rate > 0 {
            // A failed file is not received any more, unless it is retried.
            let left = total - bytesFailed - (overall.received - kept.failed)
            overall.secondsLeft = Int((Double(max(0, left)) / overall.rate).rounded(.up))
        }
        return overall
    }
}
