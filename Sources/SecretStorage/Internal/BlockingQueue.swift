import Dispatch
import Primitives
import Synchronization

/// Runs blocking calls one after another on a thread off the shared pool.
struct BlockingQueue: Sendable {
    private let queue: DispatchQueue

    init(_ label: String) {
        queue = DispatchQueue(label: label)
    }

    /// Runs `body` and returns what it returns, or `late` once `limit` passed, whatever `body` does then.
    func run<Value: Sendable>(
        limit: Duration? = nil, late: SecretStorageError? = nil,
        _ body: @escaping @Sendable () throws(SecretStorageError) -> Value
    ) async throws(SecretStorageError) -> Value {
        let result = await withCheckedContinuation { continuation in
            let answer = OneAnswer<Value>(continuation)
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

/// Resumes a continuation with the first answer and drops the others.
private final class OneAnswer<Value: Sendable>: Sendable {
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
