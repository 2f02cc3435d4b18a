import Dispatch
import Primitives
import Synchronization

/// Runs blocking calls one after another on a thread outside the shared thread pool.
struct BlockingQueue: Sendable {
    private let queue: DispatchQueue

    init(_ label: String) {
        queue = DispatchQueue(label: label)
    }

    /// Runs `body` and returns its result. Throws `timeoutError` when `limit` passes first; `body` then continues to
    /// run.
    func run<Value: Sendable>(
        limit: Duration? = nil, timeoutError: SecretStorageError? = nil,
        _ body: @escaping @Sendable () throws(SecretStorageError) -> Value
    ) async throws(SecretStorageError) -> Value {
        let result = await withCheckedContinuation { continuation in
            let answer = SingleResume<Value>(continuation)
            queue.async {
                do throws(SecretStorageError) {
                    answer.resume(.success(try body()))
                } catch {
                    answer.resume(.failure(error))
                }
            }
            if let limit, let timeoutError {
                DispatchQueue.global().asyncAfter(deadline: .now() + limit.seconds) {
                    answer.resume(.failure(timeoutError))
                }
            }
        }
        return try result.get()
    }
}

/// Resumes a continuation with the first result and ignores later ones.
private final class SingleResume<Value: Sendable>: Sendable {
    typealias Continuation = CheckedContinuation<Result<Value, SecretStorageError>, Never>
    private let continuation: Mutex<Continuation?>

    init(_ continuation: Continuation) {
        self.continuation = Mutex(continuation)
    }

    func resume(_ result: Result<Value, SecretStorageError>) {
        let waiting = continuation.withLock { continuation in
            defer { continuation = nil }
            return continuation
        }
        waiting?.resume(returning: result)
    }
}
