internal import Dispatch

/// Runs an actor whose calls wait on a thread off the shared pool.
final class BusExecutor: SerialExecutor {
    private let queue: DispatchQueue

    init(_ label: String) { queue = DispatchQueue(label: label) }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}

/// Leaves a service that did not answer alone for a while, so that nobody waits for it again and again.
struct BusPause {
    private static let length = Duration.seconds(30)
    private var end: ContinuousClock.Instant?

    /// Whether it may be asked.
    var isOver: Bool { end.map { $0 <= .now } ?? true }

    mutating func begin() { end = .now + Self.length }
}
