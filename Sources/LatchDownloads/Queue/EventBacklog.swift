import Synchronization

/// The events that one listener has not received yet.
final class EventBacklog: Sendable {
    private struct State {
        var events: [DownloadEvent] = []
        /// How many events at the beginning of the array were already delivered.
        var taken = 0
        var waiter: CheckedContinuation<DownloadEvent?, Never>?
        var isFinished = false

        var count: Int { events.count - taken }

        mutating func removeFirst() -> DownloadEvent? {
            guard count > 0 else { return nil }
            defer {
                taken += 1
                // Removing moves all later events, so it happens rarely, and for at least half of the array.
                if taken >= 1_024, taken * 2 >= events.count {
                    events.removeFirst(taken)
                    taken = 0
                }
            }
            return events[taken]
        }
    }

    /// How many events are kept for a slow listener. Beyond that, a listener that may lose events loses the oldest. For
    /// a listener that must get all, no further file is started, and events of files that were started already are
    /// still kept.
    static let limit = 4_096

    private let state = Mutex(State())
    private let isLossless: Bool
    private let wants: @Sendable (DownloadEvent) -> Bool
    private let onCapacity: @Sendable () -> Void

    init(
        isLossless: Bool, wants: @escaping @Sendable (DownloadEvent) -> Bool,
        onCapacity: @escaping @Sendable () -> Void
    ) {
        (self.isLossless, self.wants, self.onCapacity) = (isLossless, wants, onCapacity)
    }

    /// Whether no further file should be started until the listener has taken events.
    var isFull: Bool { isLossless && state.withLock { $0.count >= Self.limit } }

    func add(_ event: DownloadEvent) {
        guard wants(event) else { return }
        let waiter = state.withLock { state -> CheckedContinuation<DownloadEvent?, Never>? in
            guard !state.isFinished else { return nil }
            if let waiter = state.waiter.take() { return waiter }
            if state.count >= Self.limit {
                // The next event of this kind replaces it.
                if event.isProgress { return nil }
                if !isLossless { _ = state.removeFirst() }
            }
            state.events.append(event)
            return nil
        }
        waiter?.resume(returning: event)
    }

    /// Waits for the next event. Returns nil at the end.
    func next() async -> DownloadEvent? {
        await withCheckedContinuation { continuation in
            let (event, isAnswered, hasCapacity) = state.withLock { state -> (DownloadEvent?, Bool, Bool) in
                // Exactly at half of the limit, so that the queue is woken once and not for each event.
                if let event = state.removeFirst() { return (event, true, state.count == Self.limit / 2) }
                if !state.isFinished { state.waiter = continuation }
                return (nil, state.isFinished, false)
            }
            if isAnswered { continuation.resume(returning: event) }
            if hasCapacity, isLossless { onCapacity() }
        }
    }

    /// Ends the stream after the events that are kept.
    func finish() {
        let waiter = state.withLock { state in
            state.isFinished = true
            return state.waiter.take()
        }
        waiter?.resume(returning: nil)
    }

    /// Ends the stream at once and drops the events that are kept.
    func close() {
        state.withLock { state in (state.events, state.taken) = ([], 0) }
        finish()
        if isLossless { onCapacity() }
    }
}

extension DownloadEvent {
    /// Whether the next event of the same kind replaces this one.
    fileprivate var isProgress: Bool {
        switch self {
        case .progress, .overall: true
        case .status, .complete, .error, .pauseReasonChanged: false
        }
    }
}
