/// Work that waits for the disk, on a thread of its own beside the loops.
enum BlockingWork {
    /// Runs `work` on a thread of low priority.
    ///
    /// - Parameter work: Is told when it should stop; what it returns then does not matter.
    /// - Returns: What `work` returns.
    /// - Throws: `CancellationError` when the task was cancelled, once `work` has stopped; ``GatewayError/Code/busy``
    ///   when the system has no more threads.
    static func run<Result: Sendable>(
        _ work: @escaping @Sendable (_ isStopped: () -> Bool) -> Result
    ) async throws -> Result {
        let stop = Flag()
        let result = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Result, any Error>) in
                let isStarted = WorkerThread.start(niceness: 10) {
                    continuation.resume(returning: work { stop.isRaised })
                }
                guard !isStarted else { return }
                continuation.resume(
                    throwing: GatewayError(.busy, "No thread could be started: the system has no more; try again."))
            }
        } onCancel: {
            stop.raise()
        }
        try Task.checkCancellation()
        return result
    }
}
