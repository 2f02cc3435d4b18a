import Synchronization

/// A signal that a task can wait for. Signals sent before the wait are merged into one.
final class AsyncSignal: Sendable {
    private struct State {
        var isAwake = false
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    func wake() {
        let waiter = state.withLock { state in
            state.isAwake = state.waiter == nil
            return state.waiter.take()
        }
        waiter?.resume()
    }

    /// Waits for a call to ``wake()``. Returns at once if there was a call since the last return.
    func next() async throws {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isAwake = state.withLock { state in
                    if !state.isAwake { state.waiter = continuation }
                    defer { state.isAwake = false }
                    return state.isAwake
                }
                if isAwake { continuation.resume() }
            }
        } onCancel: {
            // When this comes before the wait, the signal stays set, and the wait returns at once.
            wake()
        }
        try Task.checkCancellation()
    }
}
