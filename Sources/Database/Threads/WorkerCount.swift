internal import Synchronization

/// The number of running worker threads, with a way to wait until all have ended.
final class WorkerCount: Sendable {
    private struct State {
        var running = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// Counts one thread as running. Called before it is started.
    func enter() {
        state.withLock { $0.running += 1 }
    }

    /// Counts one thread as ended. Called after its connection is closed.
    func workerEnded() {
        let released = state.withLock { state in
            state.running -= 1
            guard state.running == 0 else { return [] as [CheckedContinuation<Void, Never>] }
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in released { continuation.resume() }
    }

    /// Whether any thread is still running.
    var areRunning: Bool {
        state.withLock { $0.running > 0 }
    }

    /// Waits until no thread is running.
    func waitForAll() async {
        await withCheckedContinuation { continuation in
            let ended = state.withLock { state in
                if state.running > 0 { state.waiting.append(continuation) }
                return state.running == 0
            }
            if ended { continuation.resume() }
        }
    }
}
