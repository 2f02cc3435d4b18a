import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct CancellableValueTests {
    @Test("a task is cancelled when the task that waits for it is cancelled, as by a time limit")
    func cancelled() async throws {
        let endless = Task { try await Task.sleep(for: .seconds(3_600)) }
        let waiting = Task { try await endless.cancellableValue }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        #expect(endless.isCancelled)
    }
}
