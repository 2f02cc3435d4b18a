import CLibrary
import Synchronization

extension EventLoop {
    /// The jobs and commands from other threads.
    struct Queue {
        var jobs: [UnownedJob] = []
        var commands: [@Sendable (EventLoop) -> Void] = []
        var isSleeping = false
        /// Whether the thread has ended and can run no more jobs.
        var isFinished = false
        var hasStopped = false
        var waiters: [CheckedContinuation<Void, Never>] = []

        var isEmpty: Bool { jobs.isEmpty && commands.isEmpty }
    }

    /// Enqueues a job of a handler's task. Calls from the loop's own thread need no lock and no wake-up.
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if isCurrent {
            localJobs.append(job)
            return
        }
        let (mustWake, isFinished) = queue.withLock { queue in
            if queue.isFinished { return (false, true) }
            queue.jobs.append(job)
            // Only the first job writes to the eventfd, because the woken loop takes all jobs.
            defer { queue.isSleeping = false }
            return (queue.isSleeping, false)
        }
        // A task that is still running after the server has stopped continues on the global executor.
        if isFinished { globalConcurrentExecutor.enqueue(job) }
        if mustWake { writeWake() }
    }

    /// Runs `command` on the loop's thread.
    func perform(_ command: @escaping @Sendable (EventLoop) -> Void) {
        let mustWake = queue.withLock { queue in
            queue.commands.append(command)
            defer { queue.isSleeping = false }
            return queue.isSleeping
        }
        if mustWake { writeWake() }
    }

    /// Runs all enqueued jobs and commands. Returns whether there were any.
    func runJobs() -> Bool {
        let (jobs, commands) = queue.withLock { queue in
            guard !queue.isEmpty else { return ([UnownedJob](), [@Sendable (EventLoop) -> Void]()) }
            defer {
                queue.jobs = []
                queue.commands = []
            }
            return (queue.jobs, queue.commands)
        }
        let own = localJobs
        guard !own.isEmpty || !jobs.isEmpty || !commands.isEmpty else { return false }
        // Jobs that are added from here on run in the next call, so that the daemons run in between.
        localJobs.removeAll(keepingCapacity: true)
        for command in commands { command(self) }
        let executor = asUnownedTaskExecutor()
        for job in own { job.runSynchronously(on: executor) }
        for job in jobs { job.runSynchronously(on: executor) }
        return true
    }

    /// Returns whether the thread may end. From then on, jobs run on the global executor.
    func isFinished() -> Bool {
        guard hasStopped, runningTasks == 0, localJobs.isEmpty else { return false }
        // Under the lock, so that no job is queued in between.
        return queue.withLock { queue in
            queue.isFinished = queue.isEmpty
            return queue.isFinished
        }
    }

    private var isCurrent: Bool {
        guard let thread else { return false }
        return pthread_equal(thread, pthread_self()) != 0
    }

    private func writeWake() {
        var one: UInt64 = 1
        // Fails only when the counter is at its maximum, and then the loop wakes anyway. See eventfd(2).
        _ = write(wake, &one, 8)
    }
}
