import Synchronization

/// Tells events to any number of listeners, each at its own pace, as long as it does not fall far behind.
final class EventBroadcast: Sendable {
    private struct State {
        var listeners: [Int: Listener] = [:]
        var next = 0
    }

    private struct Listener {
        var continuation: AsyncStream<DownloadEvent>.Continuation
        var wants: @Sendable (DownloadEvent) -> Bool
    }

    private let state = Mutex(State())

    /// How many events are kept for a listener that does not come along; the oldest ones go first.
    private static let backlog = 4096

    func stream(_ wants: @escaping @Sendable (DownloadEvent) -> Bool = { _ in true }) -> AsyncStream<DownloadEvent> {
        AsyncStream(bufferingPolicy: .bufferingNewest(Self.backlog)) { continuation in
            let id = state.withLock { state in
                state.next += 1
                state.listeners[state.next] = Listener(continuation: continuation, wants: wants)
                return state.next
            }
            continuation.onTermination = { [weak self] _ in
                self?.state.withLock { _ = $0.listeners.removeValue(forKey: id) }
            }
        }
    }

    func send(_ event: DownloadEvent) {
        let listeners = state.withLock { Array($0.listeners.values) }
        for listener in listeners where listener.wants(event) { listener.continuation.yield(event) }
    }

    func finish() {
        let listeners = state.withLock { Array($0.listeners.values) }
        for listener in listeners { listener.continuation.finish() }
    }
}
