/// Counts what has come, and how fast.
struct ProgressCounter {
    private var counts = OverallProgress()
    private var bytesDone = 0
    private var allBytes: Int?
    private var samples: [(moment: ContinuousClock.Instant, arrived: Int)] = []
    /// What the tries have brought that are over; what was there before them is none of it.
    private var arrived = 0

    /// Over how long the rate is taken.
    private static let window = Duration.seconds(5)

    /// Takes what the queue's rows say.
    mutating func take(_ rows: [StateCount]) {
        counts = OverallProgress()
        bytesDone = 0
        var (all, isKnown) = (0, true)
        for row in rows {
            switch row.state {
            case "done": counts.done += row.count
            case "skipped": counts.skipped += row.count
            case "failed": counts.failed += row.count
            default: counts.open += row.count
            }
            if row.state == "done" { bytesDone += row.bytes }
            if row.state == "skipped" || row.state == "failed" { continue }
            all += row.bytes
            if row.sized < row.count { isKnown = false }
        }
        allBytes = isKnown ? all : nil
    }

    /// Counts what a try has brought that is over.
    mutating func arrived(_ bytes: Int) { arrived += max(0, bytes) }

    /// All tasks together, with those that run.
    ///
    /// - Parameters:
    ///   - received: How much is there of those that run.
    ///   - gained: How much of that these tries have brought: what the rate is of. Where nobody knows, nil, what is there counts.
    ///   - now: The time.
    /// - Returns: How far they are, how fast and for how long still.
    mutating func overall(received: Int, gained: Int?, now: ContinuousClock.Instant) -> OverallProgress {
        var overall = counts
        overall.received = bytesDone + received
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
            overall.secondsLeft = Int((Double(max(0, total - overall.received)) / overall.rate).rounded(.up))
        }
        return overall
    }
}
