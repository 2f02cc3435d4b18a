import Synchronization

/// Sends events to any number of listeners, each at its own pace.
final class EventBroadcast: Sendable {
    private struct State {
        var listeners: [Int: EventBacklog] = [:]
        var next = 0
    }

    private let state = Mutex(State())
    private let onCapacity: @Sendable () -> Void

    /// Creates a broadcast without listeners.
    ///
    /// - Parameter onCapacity: Called when a listener that must get all events has caught up or was removed.
    init(onCapacity: @escaping @Sendable () -> Void = {}) { self.onCapacity = onCapacity }

    /// Ends all streams. Otherwise a task that waits for an event would wait for ever, and never be released.
    deinit { finish() }

    /// Whether a listener that must get all events is so far behind that no further file should be started.
    var isFull: Bool { state.withLock { $0.listeners.values.contains { $0.isFull } } }

    /// Returns a stream of the events from now on. The listener is removed when the stream is released.
    ///
    /// - Parameters:
    ///   - isLossless: Whether every event except progress is kept until it is delivered. Default: false.
    ///   - wants: Whether the listener gets an event. Default: all events.
    /// - Returns: The stream.
    func stream(
        isLossless: Bool = false, _ wants: @escaping @Sendable (DownloadEvent) -> Bool = { _ in true }
    ) -> AsyncStream<DownloadEvent> {
        let backlog = EventBacklog(isLossless: isLossless, wants: wants, onCapacity: onCapacity)
        let number = state.withLock { state in
            state.next += 1
            state.listeners[state.next] = backlog
            return state.next
        }
        let listener = Listener(backlog: backlog) { [weak self] in
            let removed = self?.state.withLock { $0.listeners.removeValue(forKey: number) }
            if removed != nil { self?.onCapacity() }
        }
        // The closure owns the listener, whose `deinit` removes it when the stream is released.
        return AsyncStream(
            unfolding: { await listener.backlog.next() }, onCancel: { [weak backlog] in backlog?.close() })
    }

    func send(_ event: DownloadEvent) {
        let listeners = state.withLock { Array($0.listeners.values) }
        for listener in listeners { listener.add(event) }
    }

    func finish() {
        let listeners = state.withLock { Array($0.listeners.values) }
        for listener in listeners { listener.finish() }
    }

    /// Removes the listener when the stream is released.
    private final class Listener: Sendable {
        let backlog: EventBacklog
        private let onRelease: @Sendable () -> Void

        init(backlog: EventBacklog, onRelease: @escaping @Sendable () -> Void) {
            (self.backlog, self.onRelease) = (backlog, onRelease)
        }

        deinit { onRelease() }
    }
}
