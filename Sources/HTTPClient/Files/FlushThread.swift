import Primitives

/// A thread that waits for the disk, and ends when it has.
enum FlushThread {
    static func run<Outcome: Sendable>(_ body: @escaping @Sendable () -> Outcome) async -> Outcome {
        await withCheckedContinuation { continuation in
            do {
                try SystemThread.detach { continuation.resume(returning: body()) }
            } catch {
                // A system that gives no thread leaves the work to this one.
                continuation.resume(returning: body())
            }
        }
    }
}
