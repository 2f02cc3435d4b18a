import Foundation

/// Work that blocks, kept off the pool of threads that all tasks share.
public enum BackgroundThread {
    /// Starts a thread and goes on.
    public static func start(_ body: @escaping @Sendable () -> Void) {
        Thread.detachNewThread(body)
    }

    /// Runs `body` in a thread of its own and waits for what it returns.
    public static func run<R: Sendable>(_ body: @escaping @Sendable () -> R) async -> R {
        await withCheckedContinuation { continuation in
            start { continuation.resume(returning: body()) }
        }
    }
}
