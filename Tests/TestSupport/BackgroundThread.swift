import Foundation

/// Runs blocking work outside the shared thread pool.
public enum BackgroundThread {
    /// Starts `body` on a new thread, without waiting for it.
    public static func start(_ body: @escaping @Sendable () -> Void) {
        Thread.detachNewThread(body)
    }

    /// Runs `body` on its own thread and returns its result.
    public static func run<R: Sendable>(_ body: @escaping @Sendable () -> R) async -> R {
        await withCheckedContinuation { continuation in
            start { continuation.resume(returning: body()) }
        }
    }
}
