import Dispatch

@testable import GatewayCore

/// Holds one thread of a hashing pool until it is opened.
final class Gate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    private let reached = AsyncStream<Void>.makeStream()
    private let holding: Task<Void, any Error>

    /// Holds one thread of `pool`.
    convenience init(_ pool: HashingPool) {
        self.init { held in try await pool.run(held) }
    }

    /// Holds whatever thread `run` runs the closure on that it is given.
    init(_ run: @escaping @Sendable (@escaping @Sendable () -> Void) async throws -> Void) {
        let semaphore = semaphore
        let reached = reached.continuation
        holding = Task {
            try await run {
                reached.yield()
                semaphore.wait()
            }
        }
    }

    deinit {
        semaphore.signal()
    }

    /// Returns once the thread is held.
    func closed() async {
        for await _ in reached.stream { return }
    }

    func open() {
        semaphore.signal()
    }
}

/// Returns once `condition` holds; the test's time limit bounds the wait.
func until(_ condition: () -> Bool) async throws {
    while !condition() {
        try Task.checkCancellation()
        await Task.yield()
    }
}
