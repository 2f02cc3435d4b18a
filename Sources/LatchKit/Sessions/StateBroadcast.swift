import Synchronization

/// Tells every watcher of each new state, the present one first.
final class StateBroadcast: Sendable {
    private struct State {
        var current = SessionState.restoring
        var watchers: [Int: AsyncStream<SessionState>.Continuation] = [:]
        var next = 0
    }

    private let state = Mutex(State())

    /// The present state.
    var current: SessionState { state.withLock(\.current) }

    /// A stream of its own; no state is left out.
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

    /// Tells of a state, if it is another than the present one.
    func publish(_ new: SessionState) {
        state.withLock { state in
            guard state.current != new else { return }
            state.current = new
            for watcher in state.watchers.values { watcher.yield(new) }
        }
    }

    /// Ends every stream.
    func finish() {
        let watchers = state.withLock { state in
            defer { state.watchers = [:] }
            return state.watchers.values
        }
        for watcher in watchers { watcher.finish() }
    }
}
