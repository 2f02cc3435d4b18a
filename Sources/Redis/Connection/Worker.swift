internal import Dispatch
internal import Synchronization

/// A queue of commands and the work of the thread that sends them to Redis.
///
/// Queued commands are sent together, up to ``batch`` at a time, so that many callers share one round trip.
final class Worker: Sendable {
    struct Call: Sendable {
        let command: RedisCommand
        let deadline: ContinuousClock.Instant
        let continuation: CheckedContinuation<Result<RedisReply, RedisError>, Never>
    }

    private struct State {
        var waiting: [Call] = []
        var isClosed = false
    }

    private static let batch = 256

    private let state = Mutex(State())
    private let pendingCalls = DispatchSemaphore(value: 0)
    private let settings: RedisSettings

    init(_ settings: RedisSettings) {
        self.settings = settings
    }

    /// Adds a call to the queue, or fails it when the queue is full or closed.
    func post(_ call: Call) {
        let refusal: RedisError? = state.withLock { state in
            if state.isClosed { return RedisError(.closed, "The Redis client was closed.") }
            guard state.waiting.count < settings.maximumWaiting else {
                return RedisError(
                    .busy, "Too many commands are waiting for Redis at '\(settings.address)'; try again shortly.")
            }
            state.waiting.append(call)
            return nil
        }
        if let refusal { call.continuation.resume(returning: .failure(refusal)) } else { pendingCalls.signal() }
    }

    /// Fails all queued calls and ends the thread after the commands in progress.
    func close() {
        let waiting = state.withLock { state in
            defer { state.waiting = [] }
            state.isClosed = true
            return state.waiting
        }
        for call in waiting {
            call.continuation.resume(returning: .failure(RedisError(.closed, "The Redis client was closed.")))
        }
        pendingCalls.signal()
    }

    /// Serves calls until the worker is closed. This is the work of the thread.
    func run() {
        var link = ReconnectingConnection(settings)
        while true {
            pendingCalls.wait()
            let (calls, isClosed) = state.withLock { state in
                let first = Array(state.waiting.prefix(Self.batch))
                state.waiting.removeFirst(first.count)
                return (first, state.isClosed)
            }
            if isClosed, calls.isEmpty { return }
            serve(calls, &link)
        }
    }

    private func serve(_ calls: [Call], _ link: inout ReconnectingConnection) {
        let now = ContinuousClock.now
        let late = calls.filter { $0.deadline <= now }
        for call in late { call.continuation.resume(returning: .failure(Self.late(settings))) }
        let live = late.isEmpty ? calls : calls.filter { $0.deadline > now }
        guard let deadline = live.map(\.deadline).max() else { return }
        var count = 0
        do throws(RedisError) {
            try link.exchange(live.map(\.command), before: deadline) { index, result in
                live[index].continuation.resume(returning: result)
                count = index + 1
            }
        } catch {
            for call in live[count...] { call.continuation.resume(returning: .failure(error)) }
        }
    }

    private static func late(_ settings: RedisSettings) -> RedisError {
        RedisError(.timedOut, "Redis at '\(settings.address)' did not respond to a command in time.")
    }
}
