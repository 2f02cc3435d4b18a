internal import Synchronization

/// A caller's request on its way to a worker thread, whatever it gives back.
protocol PendingCall: AnyObject, Sendable {
    /// Takes the call up; false when it was cancelled meanwhile, and then its caller has been told already.
    func start() -> Bool
    /// Runs the body and keeps its outcome. Returns the error that it threw, if it did.
    func perform(on connection: Connection) -> (any Error)?
    /// Gives the caller the kept outcome, or `failure` in its place. Once, after ``start()``.
    func settle(failure: (any Error)?)
}

/// A body with its caller waiting for the value.
final class Call<Value: Sendable>: PendingCall {
    private let body: @Sendable (Connection) throws -> Value
    private let state = Mutex(CallState<Value>())

    init(_ body: @escaping @Sendable (Connection) throws -> Value) {
        self.body = body
    }

    /// Posts the call with `post` and waits for its value.
    ///
    /// Cancelled before the worker takes it up, it throws `CancellationError` and the body never runs;
    /// afterwards the body completes and its outcome is given.
    func value(_ post: (Call) throws(DatabaseError) -> Void) async throws -> Value {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
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

    func settle(failure: (any Error)?) {
        guard let (continuation, outcome) = state.withLock({ $0.finish() }) else { return }
        if let failure {
            continuation.resume(throwing: failure)
        } else if let outcome {
            continuation.resume(with: outcome)
        } else {
            preconditionFailure("a call is settled without an outcome only when there is a failure to tell")
        }
    }
}

/// The way of one call: idle, waiting, then taken up or abandoned.
struct CallState<Value: Sendable>: Sendable {
    private enum Phase {
        /// The state before the caller waits.
        case idle
        /// The state once the caller waits in the queue.
        case waiting(CheckedContinuation<Value, any Error>)
        /// The state once a worker has taken the call up: cancellation comes too late.
        case started(CheckedContinuation<Value, any Error>)
        /// The state once the caller has its answer, or was cancelled before it began to wait.
        case over
    }

    private var phase = Phase.idle
    var outcome: Result<Value, any Error>?

    /// The caller waits; false when it was cancelled before.
    mutating func wait(_ continuation: CheckedContinuation<Value, any Error>) -> Bool {
        guard case .idle = phase else { return false }
        phase = .waiting(continuation)
        return true
    }

    /// A worker takes the call up; false when there is nobody waiting any more.
    mutating func start() -> Bool {
        guard case .waiting(let continuation) = phase else { return false }
        phase = .started(continuation)
        return true
    }

    /// Cancellation or a closed queue: the continuation to resume, or nil when the call is taken up or over.
    mutating func abandon() -> CheckedContinuation<Value, any Error>? {
        switch phase {
        case .idle:
            phase = .over
            return nil
        case .waiting(let continuation):
            phase = .over
            return continuation
        case .started, .over:
            return nil
        }
    }

    /// The worker is done: whom to tell, and what the body made.
    mutating func finish() -> (CheckedContinuation<Value, any Error>, Result<Value, any Error>?)? {
        guard case .started(let continuation) = phase else { return nil }
        phase = .over
        defer { outcome = nil }
        return (continuation, outcome)
    }
}
