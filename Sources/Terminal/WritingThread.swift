import Dispatch

/// A thread for tasks that write to a reader that may be slow, so that they do not block the threads of the shared pool.
public final class WritingThread: TaskExecutor {
    private let queue = DispatchQueue(label: "latchstring.writing")

    /// Makes one.
    public init() {}

    /// Runs a job on the thread.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
