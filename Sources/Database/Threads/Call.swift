internal import Synchronization

/// A caller's request to a worker thread, independent of the type of its value.
protocol PendingCall: AnyObject, Sendable {
    /// Marks the call as started. Returns false when it was cancelled, in which case its caller has already been
    /// resumed.
    func start() -> Bool
    /// Runs the body and keeps its outcome. Returns the error that the body threw, or nil.
    func perform(on connection: Connection) -> (any Error)?
    /// Resumes the caller with the stored outcome, or with `failure` instead. Called once, after ``start()``.
    func complete(failure: (any Error)?)
}

/// A body whose caller waits for the value.
final class Call<Value: Sendable>: PendingCall {
    private let body: @Sendable (Connection) throws -> Value
    private let state = Mutex(CallState<Value>())

    init(_ body: @escaping @Sendable (Connection) throws -> Value) {
        self.body = body
    }

    /// Posts the call with `post` and waits for its value.
    ///
    /// When the task is cancelled before the worker starts the body, throws `CancellationError` and the body never
    /// runs. Once the body has started, it completes and its outcome is returned.
    func value(_ post: (Call) throws(DatabaseError) -> Void) async throws -> Value {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                // Before the call is posted, because a worker may start it at once.
                guard state.withLock({ $0.wait(continuation) }) else {
                    return continuation.resume(throwing: CancellationError())
                }
                do throws(DatabaseError) {
                    try post(self)
                } catch {
                    state.withLock { $0.abandon() }?.resume(throwing: error)
                }
            }
        } onCancel: {
            state.withLock { $0.abandon() }?.resume(throwing: CancellationError())
        }
    }

    func start() -> Bool {
        state.withLock { $0.start() }
    }

    func perform(on connection: Connection) -> (any Error)? {
        let outcome = Result { try body(connection) }
        state.withLock { $0.outcome = outcome }
        guard case .failure(let error) = outcome else { return nil }
        return error
    }

    func complete(failure: (any Error)?) {
        guard let (continuation, outcome) = state.withLock({ $0.finish() }) else { return }
        if let failure {
            continuation.resume(throwing: failure)
        } else if let outcome {
            continuation.resume(with: outcome)
        } else {
            preconditionFailure("a call without an outcome must be settled with a failure")
        }
    }
}

/// The state of one call: idle, waiting, then started or abandoned.
struct CallState<Value: Sendable>: Sendable {
    private enum Phase {
        /// The state before the caller waits.
        case idle
        /// The state once the caller waits in the queue.
        case waiting(CheckedContinuation<Value, any Error>)
        /// The state once a worker has started the call. Cancellation has no effect any more.
        case started(CheckedContinuation<Value, any Error>)
        /// The state once the caller was resumed, or was cancelled before it began to wait.
        case ended
    }

    private var phase = Phase.idle
    var outcome: Result<Value, any Error>?

    /// Records that the caller waits. Returns false when it was cancelled before.
    mutating func wait(_ continuation: CheckedContinuation<Value, any Error>) -> Bool {
        guard case .idle = phase else { return false }
        phase = .waiting(continuation)
        return true
    }

    /// Records that a worker starts the call. Returns false when no caller waits any more.
    mutating func start() -> Bool {
        guard case .waiting(let continuation) = phase else { return false }
        phase = .started(continuation)
        return true
    }

    /// Abandons the call because it was cancelled or the queue is closed. Returns the continuation to resume, or nil
    /// when the call has started, has ended or has no waiting caller yet.
    mutating func abandon() -> CheckedContinuation<Value, any Error>? {
        switch phase {
        case .idle:
            phase = .ended
            return nil
        case .waiting(let continuation):
            phase = .ended
            return continuation
        case .started, .ended:
            return nil
        }
    }

    /// Ends a started call. Returns the continuation to resume and the body's outcome.
    mutating func finish() -> (CheckedContinuation<Value, any Error>, Result<Value, any Error>?)? {
        guard case .started(let continuation) = phase else { return nil }
        phase = .ended
        defer { outcome = nil }
        return (continuation, outcome)
    }
}
