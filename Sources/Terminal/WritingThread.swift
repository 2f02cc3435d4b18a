import Dispatch

/// An executor with its own thread, for tasks that write to slow readers, so that they do not block the shared thread
/// pool.
package final class WritingThread: TaskExecutor {
    private let queue = DispatchQueue(label: "latchstring.writing")

    /// Creates an executor.
    package init() {}

    /// Runs a job on the thread of the executor.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
