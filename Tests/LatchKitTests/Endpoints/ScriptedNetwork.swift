import Desktop
import Synchronization

/// A network whose state a test changes.
final class ScriptedNetwork: Sendable {
    private struct State {
        var now = NetworkState.unwatched
        var watchers: [AsyncStream<NetworkState>.Continuation] = []
    }

    private let state = Mutex(State())

    /// The current state, followed by each change.
    var states: AsyncStream<NetworkState> {
        AsyncStream { continuation in
            state.withLock { state in
                state.watchers.append(continuation)
                continuation.yield(state.now)
            }
        }
    }

    /// Joins a Wi-Fi network, or leaves it.
    func join(_ name: String?) {
        state.withLock { state in
            state.now.wifiName = name
            for watcher in state.watchers { watcher.yield(state.now) }
        }
    }
}
