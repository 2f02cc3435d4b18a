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
    private let arrivals = DispatchSemaphore(value: 0)
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
        if let refusal { call.continuation.resume(returning: .failure(refusal)) } else { arrivals.signal() }
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
        arrivals.signal()
    }

    /// Serves calls until the worker is closed. This is the work of the thread.
    func run() {
        var link = ReconnectingConnection(settings)
        while true {
            arrivals.wait()
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
        let timely = late.isEmpty ? calls : calls.filter { $0.deadline > now }
        guard let deadline = timely.map(\.deadline).max() else { return }
        var count = 0
        do throws(RedisError) {
            try link.exchange(timely.map(\.command), before: deadline) { index, result in
                timely[index].continuation.resume(returning: result)
                count = index + 1
            }
        } catch {
            for call in timely[count...] { call.continuation.resume(returning: .failure(error)) }
        }
    }

    private static func late(_ settings: RedisSettings) -> RedisError {
        RedisError(.timedOut, "Redis at '\(settings.address)' did not respond to a command in time.")
    }
}
