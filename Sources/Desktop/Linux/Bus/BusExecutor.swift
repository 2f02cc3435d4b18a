internal import Dispatch

/// Runs an actor with blocking calls on its own queue instead of the shared thread pool.
final class BusExecutor: SerialExecutor {
    private let queue: DispatchQueue

    init(_ label: String) { queue = DispatchQueue(label: label) }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}

/// A pause after a service did not respond, so that calls do not wait for it again and again.
struct BusPause {
    private let length: Duration
    private var end: ContinuousClock.Instant?

    init(_ length: Duration = .seconds(30)) { self.length = length }

    /// Whether the service may be called again.
    var isOver: Bool { end.map { $0 <= .now } ?? true }

    mutating func begin() { end = .now + length }
}
