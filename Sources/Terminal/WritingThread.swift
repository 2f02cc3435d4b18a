import Dispatch

/// An executor with its own thread, for tasks that write to slow readers, so that they do not block the shared thread
/// pool.
public final class WritingThread: TaskExecutor {
    private let queue = DispatchQueue(label: "latchstring.writing")

    /// Creates an executor.
    public init() {}

    /// Runs a job on the thread of the executor.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
