import Synchronization

/// One request and its response in the transfer loop.
final class Transfer: @unchecked Sendable {  // One owner at a time: its creator until it is submitted, then the loop.
    let plan: TransferPlan
    var receiver: ResponseReceiver
    var easy: EasyHandle?
    private var continuation: CheckedContinuation<TransferResult, any Error>?
    private let cancelled = Mutex(false)

    init(_ plan: TransferPlan) {
        self.plan = plan
        receiver = ResponseReceiver(plan)
    }

    /// Whether the waiting task was cancelled, possibly before the transfer was submitted.
    var isCancelled: Bool { cancelled.withLock { $0 } }

    func markCancelled() { cancelled.withLock { $0 = true } }

    func setContinuation(_ continuation: CheckedContinuation<TransferResult, any Error>) {
        self.continuation = continuation
    }

    /// Ends the transfer. Has no effect when it has already ended.
    func end(_ result: Result<TransferResult, any Error>) {
        if case .failure = result { receiver.discard() }
        continuation?.resume(with: result)
        continuation = nil
    }
}
