import Synchronization

/// The events that one listener has not taken yet.
final class EventBacklog: Sendable {
    private struct State {
        var events: [DownloadEvent] = []
        /// How many at the beginning are taken already.
        var taken = 0
        var waiter: CheckedContinuation<DownloadEvent?, Never>?
        var isFinished = false

        var count: Int { events.count - taken }

        mutating func removeFirst() -> DownloadEvent? {
            guard count > 0 else { return nil }
            defer {
                taken += 1
                if taken >= 1_024, taken * 2 >= events.count {
                    events.removeFirst(taken)
                    taken = 0
                }
            }
            return events[taken]
        }
    }

    /// How many events are kept for a listener that does not come along. One that may lose some loses the oldest then; for one
    /// that loses nothing no further file is begun, and what has begun is kept too.
    static let limit = 4_096

    private let state = Mutex(State())
    private let losesNothing: Bool
    private let wants: @Sendable (DownloadEvent) -> Bool
    private let hasRoom: @Sendable () -> Void

    init(
        losesNothing: Bool, wants: @escaping @Sendable (DownloadEvent) -> Bool, hasRoom: @escaping @Sendable () -> Void
    ) {
        (self.losesNothing, self.wants, self.hasRoom) = (losesNothing, wants, hasRoom)
    }

    /// Whether no more should be told before some is taken.
    var isFull: Bool { losesNothing && state.withLock { $0.count >= Self.limit } }

    func add(_ event: DownloadEvent) {
        guard wants(event) else { return }
        let waiter = state.withLock { state -> CheckedContinuation<DownloadEvent?, Never>? in
            guard !state.isFinished else { return nil }
            if let waiter = state.waiter.take() { return waiter }
            if state.count >= Self.limit {
                // The next one tells it too.
                if event.isProgress { return nil }
                if !losesNothing { _ = state.removeFirst() }
            }
            state.events.append(event)
            return nil
        }
        waiter?.resume(returning: event)
    }

    /// The next event, once there is one; nil at the end.
    func next() async -> DownloadEvent? {
        await withCheckedContinuation { continuation in
            let (event, isAnswered, isRoom) = state.withLock { state -> (DownloadEvent?, Bool, Bool) in
                if let event = state.removeFirst() { return (event, true, state.count == Self.limit / 2) }
                if !state.isFinished { state.waiter = continuation }
                return (nil, state.isFinished, false)
            }
            if isAnswered { continuation.resume(returning: event) }
            if isRoom, losesNothing { hasRoom() }
        }
    }

    /// Ends it after what is kept.
    func finish() {
        let waiter = state.withLock { state in
            state.isFinished = true
            return state.waiter.take()
        }
        waiter?.resume(returning: nil)
    }

    /// Ends it at once.
    func close() {
        state.withLock { state in (state.events, state.taken) = ([], 0) }
        finish()
        if losesNothing { hasRoom() }
    }
}

extension DownloadEvent {
    /// Whether the next event of its kind says all that it says.
    fileprivate var isProgress: Bool {
        switch self {
        case .progress, .overall: true
        case .status, .complete, .error, .held: false
        }
    }
}
