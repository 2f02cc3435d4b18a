import Synchronization

/// Sends each new state to all watchers, beginning with the current one.
final class StateBroadcast: Sendable {
    private struct State {
        var current = SessionState.restoring
        var watchers: [Int: AsyncStream<SessionState>.Continuation] = [:]
        var next = 0
    }

    private let state = Mutex(State())

    /// The current state.
    var current: SessionState { state.withLock(\.current) }

    /// Returns a new stream of states. It omits no state.
    func stream() -> AsyncStream<SessionState> {
        let (stream, continuation) = AsyncStream.makeStream(of: SessionState.self)
        let id = state.withLock { state in
            state.next += 1
            state.watchers[state.next] = continuation
            continuation.yield(state.current)
            return state.next
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { _ = $0.watchers.removeValue(forKey: id) }
        }
        return stream
    }

    /// Sends a state to all watchers if it differs from the current one.
    func publish(_ new: SessionState) {
        state.withLock { state in
            guard state.current != new else { return }
            state.current = new
            for watcher in state.watchers.values { watcher.yield(new) }
        }
    }

    /// Ends all streams.
    func finish() {
        let watchers = state.withLock { state in
            defer { state.watchers = [:] }
            return state.watchers.values
        }
        // Outside the lock, because `finish` calls `onTermination`, which takes the lock too.
        for watcher in watchers { watcher.finish() }
    }
}
