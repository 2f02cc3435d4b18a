/// A thread that waits for the disk, and ends when it has.
enum FlushThread {
    static func run<Outcome: Sendable>(_ body: @escaping @Sendable () -> Outcome) async -> Outcome {
        await withCheckedContinuation { continuation in
            let isStarted = LoopThread.start { continuation.resume(returning: body()) }
            // A system that gives no thread leaves the work to this one.
            if let isStarted { isStarted.detach() } else { continuation.resume(returning: body()) }
        }
    }
}
