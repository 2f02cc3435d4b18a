import Dispatch
import Synchronization

/// Reads files outside the event loops, which must not wait for a disk.
///
/// All readers share four queues and therefore at most four threads. Each reader uses one queue, and has at most one
/// job in it at a time.
final class FileReading: Sendable {
    private static let queues = (0..<4).map { DispatchQueue(label: "latchstring.files.\($0)") }
    private static let next = Atomic(0)

    private let queue: DispatchQueue

    init() {
        let turn = Self.next.wrappingAdd(1, ordering: .relaxed).oldValue
        queue = Self.queues[(turn & .max) % Self.queues.count]
    }

    /// Runs `work`, which may block, and returns its result.
    func run<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result {
        try Task.checkCancellation()
        return try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Swift.Result { try work() }) }
        }
    }
}
