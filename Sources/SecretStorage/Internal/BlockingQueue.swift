import Dispatch
import Primitives
import Synchronization

/// Runs blocking calls one after another on a thread outside the shared thread pool.
struct BlockingQueue: Sendable {
    private let queue: DispatchQueue

    init(_ label: String) {
        queue = DispatchQueue(label: label)
    }

    /// Runs `body` and returns its result. Throws `late` when `limit` passes first; `body` then continues to run.
    func run<Value: Sendable>(
        limit: Duration? = nil, late: SecretStorageError? = nil,
        _ body: @escaping @Sendable () throws(SecretStorageError) -> Value
    ) async throws(SecretStorageError) -> Value {
        let result = await withCheckedContinuation { continuation in
            let answer = SingleResume<Value>(continuation)
            queue.async {
                do throws(SecretStorageError) {
                    answer.give(.success(try body()))
                } catch {
                    answer.give(.failure(error))
                }
            }
            if let limit, let late {
                DispatchQueue.global().asyncAfter(deadline: .now() + limit.seconds) { answer.give(.failure(late)) }
            }
        }
        return try result.get()
    }
}

/// Resumes a continuation with the first result and ignores later ones.
private final class SingleResume<Value: Sendable>: Sendable {
    typealias Continuation = CheckedContinuation<Result<Value, SecretStorageError>, Never>
    private let waiting: Mutex<Continuation?>

    init(_ continuation: Continuation) {
        waiting = Mutex(continuation)
    }

    func give(_ result: Result<Value, SecretStorageError>) {
        let continuation = waiting.withLock { waiting in
            defer { waiting = nil }
            return waiting
        }
        continuation?.resume(returning: result)
    }
}
