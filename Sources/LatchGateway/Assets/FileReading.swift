import Dispatch
import Synchronization

/// Reads files away from the loops, which must not wait for a disk.
///
/// A few threads at most, however many read: a task that reads has a queue of its own turn, and never more than one
/// piece of work in it.
final class FileReading: Sendable {
    private static let queues = (0..<4).map { DispatchQueue(label: "latchstring.files.\($0)") }
    private static let next = Atomic(0)

    private let queue: DispatchQueue

    init() {
        let turn = Self.next.wrappingAdd(1, ordering: .relaxed).oldValue
        queue = Self.queues[(turn & .max) % Self.queues.count]
    }

    /// Runs `work`, which may block.
    func run<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result {
        try Task.checkCancellation()
        return try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Swift.Result { try work() }) }
        }
    }
}
