import Primitives
import Synchronization

/// Work that waits for the disk or fills a core for a while, on a few threads of its own beside the loops.
///
/// So much may run, so much may wait; what comes beyond that is refused at once, so that a flood of large requests costs no
/// more threads and memory than that.
final class BlockingWork: Sendable {
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

    /// Makes a place for work.
    ///
    /// - Parameters:
    ///   - running: How many threads there are at most; an idle one ends.
    ///   - waiting: How much work may wait for one.
    init(running: Int, waiting: Int) {
        self.running = max(1, running)
        self.waiting = waiting
    }

    /// How much work waits for a thread.
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Runs `work` on a thread of low priority.
    ///
    /// - Parameter work: Is told when it should stop; what it returns then does not matter.
    /// - Returns: What `work` returns.
    /// - Throws: `CancellationError` when the task was cancelled, once `work` has stopped; ``GatewayError/Code/busy``
    ///   when too much waits already, or the system has no more threads.
    func run<Result: Sendable>(
        _ work: @escaping @Sendable (_ isStopped: () -> Bool) -> Result
    ) async throws -> Result {
        let stop = Flag()
        let result = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Result, any Error>) in
                enter(
                    Job {
                        // Whoever waited for it is gone.
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
                // Jobs that came to wait for this thread have none now.
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
