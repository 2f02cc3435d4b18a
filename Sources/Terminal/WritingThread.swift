import Dispatch

/// A thread for tasks that write what somebody reads, who may let them wait: the shared ones are not held up by that.
public final class WritingThread: TaskExecutor {
    private let queue = DispatchQueue(label: "latchstring.writing")

    /// Makes one.
    public init() {}

    /// Does the job there.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
