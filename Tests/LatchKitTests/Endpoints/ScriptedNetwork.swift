import Desktop
import Synchronization

/// A network whose state a test changes.
final class ScriptedNetwork: Sendable {
    private struct State {
        var now = NetworkState.unwatched
        var watchers: [Int: AsyncStream<NetworkState>.Continuation] = [:]
        var lastNumber = 0
    }

    private let state = Mutex(State())

    /// The current state, followed by each change.
    var states: AsyncStream<NetworkState> {
        AsyncStream { continuation in
            let number = state.withLock { state in
                state.lastNumber += 1
                state.watchers[state.lastNumber] = continuation
                continuation.yield(state.now)
                return state.lastNumber
            }
            continuation.onTermination = { [weak self] _ in
                self?.state.withLock { _ = $0.watchers.removeValue(forKey: number) }
            }
        }
    }

    /// The number of watches that have not ended.
    var watcherCount: Int { state.withLock { $0.watchers.count } }

    /// Joins a Wi-Fi network, or leaves it.
    func join(_ name: String?) {
        state.withLock { state in
            state.now.wifiName = name
            for watcher in state.watchers.values { watcher.yield(state.now) }
        }
    }
}
