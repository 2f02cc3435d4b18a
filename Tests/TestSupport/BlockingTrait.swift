import Dispatch
public import Testing

/// Runs each test of a suite on threads of its own.
///
/// The shared thread pool has as many threads as the machine has cores. A test that blocks one of them, for example in a
/// call of ``RawSocket``, delays all other tests of the run.
public struct BlockingTrait: SuiteTrait, TestTrait, TestScoping {
    /// Whether the tests of contained suites inherit the trait.
    public var isRecursive: Bool { true }

    /// Runs a test with the threads as its executor.
    @concurrent public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        guard testCase != nil else { return try await function() }
        try await withTaskExecutorPreference(ThreadPerJobExecutor(), operation: function)
    }
}

extension Trait where Self == BlockingTrait {
    /// Allows the tests to block their thread.
    public static var blocking: BlockingTrait { BlockingTrait() }
}

/// Runs every job on a thread that no other job uses at the time.
private final class ThreadPerJobExecutor: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        // Each serial queue that has work gets a thread. The threads of earlier queues are reused.
        DispatchQueue(label: "blocking test").async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
