import GatewayCore
import Primitives
import Synchronization

/// Runs work that waits for the disk or uses a core for a while, on a few threads outside the event loops.
///
/// The numbers of running and waiting jobs are limited. Further jobs are refused immediately, so that a flood of large
/// requests cannot use more threads and memory.
package final class BlockingWork: Sendable {
    private struct Job: Sendable {
        let run: @Sendable () -> Void
        let refuse: @Sendable () -> Void
    }

    private struct State {
        var threads = 0
        var waiting: [Job] = []
    }

    private let running: Int
    private let waiting: Int
    private let state = Mutex(State())

    /// Makes a pool of threads.
    ///
    /// - Parameters:
    ///   - running: The maximum number of threads. Idle threads end.
    ///   - waiting: The maximum number of jobs that wait for a thread.
    init(running: Int, waiting: Int) {
        self.running = max(1, running)
        self.waiting = waiting
    }

    /// The number of jobs that wait for a thread.
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Runs `work` on a thread of low priority.
    ///
    /// - Parameter work: The work. It should stop when its argument returns true; its result is then ignored.
    /// - Returns: The result of `work`.
    /// - Throws: `CancellationError` when the task was cancelled, once `work` has stopped; ``GatewayError/Code/busy``
    ///   when too many jobs are waiting, or the system cannot start a thread.
    package func run<Result: Sendable>(
        _ work: @escaping @Sendable (_ isStopped: () -> Bool) -> Result
    ) async throws -> Result {
        let stop = Flag()
        let result = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Result, any Error>) in
                enter(
                    Job {
                        // The task that waited for the result was cancelled.
                        guard !stop.isRaised else { return continuation.resume(throwing: CancellationError()) }
                        continuation.resume(returning: work { stop.isRaised })
                    } refuse: {
                        continuation.resume(throwing: GatewayError(.busy, "The server is busy; try again in a moment."))
                    })
            }
        } onCancel: {
            stop.raise()
        }
        try Task.checkCancellation()
        return result
    }

    private enum Place {
        case thread, queue, none
    }

    private func enter(_ job: Job) {
        let place = state.withLock { state -> Place in
            guard state.threads == running else {
                state.threads += 1
                return .thread
            }
            guard state.waiting.count < waiting else { return .none }
            state.waiting.append(job)
            return .queue
        }
        switch place {
        case .queue: return
        case .none: job.refuse()
        case .thread:
            do {
                try SystemThread.detach(niceness: 10) { self.work(from: job) }
            } catch {
                // Without any other thread, the jobs that wait would never run.
                for left in noThread() + [job] { left.refuse() }
            }
        }
    }

    private func noThread() -> [Job] {
        state.withLock { state in
            state.threads -= 1
            guard state.threads == 0 else { return [] }
            defer { state.waiting = [] }
            return state.waiting
        }
    }

    private func work(from first: Job) {
        var next: Job? = first
        while let job = next {
            job.run()
            next = state.withLock { state in
                guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
                state.threads -= 1
                return nil
            }
        }
    }
}
