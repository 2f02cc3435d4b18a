import CAtspi
import Dispatch

/// The calls of libatspi, which is not safe for concurrent use.
@globalActor
package actor Accessibility {
    package static let shared = Accessibility()

    private let queue = DispatchSerialQueueExecutor()

    package nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

    /// The root of the accessible tree of all programs.
    @Accessibility
    static let desktop = {
        atspi_init()
        let desktop = atspi_get_desktop(0)!
        return Node(desktop)
    }()
}

/// Runs the jobs of an actor on a queue of its own, because the calls of libatspi block.
private final class DispatchSerialQueueExecutor: SerialExecutor {
    private let queue = DispatchQueue(label: "Accessibility")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}
