import Dispatch
import Primitives
import Synchronization

/// A pool of low-priority threads with a bounded queue, separate from the event loops.
///
/// Work is rejected immediately when the queue is full, so a flood of sign-ins uses no more memory than the queue.
/// Queued work is dropped when its caller is cancelled.
final class HashingPool: Sendable {
    private struct Job {
        let perform: @Sendable () -> Void
        let abandon: @Sendable (any Error) -> Void
    }

    private struct State {
        var nextTicket = 0
        /// The tickets in the order of their arrival. A dropped ticket stays here but is no longer in ``waiting``.
        var order: Deque = .init()
        var waiting: [Int: Job] = [:]
        var isStopped = false

        mutating func takeFirst() -> Job? {
            while let ticket = order.popFirst() {
                if let job = waiting.removeValue(forKey: ticket) { return job }
            }
            return nil
        }
    }

    /// A first-in, first-out queue of tickets. The array is trimmed when half of it has been taken.
    private struct Deque {
        private var tickets: [Int] = []
        private var head = 0

        mutating func append(_ ticket: Int) { tickets.append(ticket) }

        mutating func popFirst() -> Int? {
            guard head < tickets.count else { return nil }
            defer {
                head += 1
                if head * 2 >= tickets.count {
                    tickets.removeFirst(head)
                    head = 0
                }
            }
            return tickets[head]
        }
    }

    private final class Shared: Sendable {
        let state = Mutex(State())
        let turns = DispatchSemaphore(value: 0)
    }

    private let shared = Shared()
    private let threads: Int
    private let queue: Int

    /// Starts `threads` threads with a queue for `queue` waiting jobs. Both are at least 1.
    init(threads: Int, queue: Int) {
        self.threads = max(1, threads)
        self.queue = max(1, queue)
        for _ in 0..<self.threads {
            let shared = shared
            // With a niceness of 10, event loops have priority over these threads on a busy core.
            try? SystemThread.detach(niceness: 10) { Self.work(shared) }
        }
    }

    deinit {
        stop()
    }

    /// The number of jobs that wait for a thread.
    var depth: Int { shared.state.withLock { $0.waiting.count } }

    /// Runs `work` on one of the threads.
    ///
    /// - Throws: ``GatewayError/Code/busy`` when the queue is full; ``GatewayError/Code/closed`` after ``stop()``;
    ///   `CancellationError` when the task is cancelled before the work starts; errors of `work`. Work that has started
    ///   is always finished.
    func run<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result {
        try Task.checkCancellation()
        let ticket = shared.state.withLock { state in
            state.nextTicket += 1
            return state.nextTicket
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Result, any Error>) in
                let job = Job(
                    perform: { continuation.resume(with: Swift.Result { try work() }) },
                    abandon: { continuation.resume(throwing: $0) })
                enqueue(job, ticket)
                // A cancellation between the check above and this line found no job to drop.
                if Task.isCancelled { drop(ticket) }
            }
        } onCancel: {
            drop(ticket)
        }
    }

    /// Rejects the waiting jobs, and ends the threads after their current jobs.
    func stop() {
        let waiting = shared.state.withLock { state in
            defer { state.waiting = [:] }
            guard !state.isStopped else { return [Job]() }
            state.isStopped = true
            return Array(state.waiting.values)
        }
        for job in waiting { job.abandon(Self.closed) }
        // Each thread must wake up once to see that the pool was stopped.
        for _ in 0..<threads { shared.turns.signal() }
    }

    private func enqueue(_ job: Job, _ ticket: Int) {
        let refusal: GatewayError? = shared.state.withLock { state in
            if state.isStopped { return Self.closed }
            if state.waiting.count >= queue { return Self.busy }
            state.waiting[ticket] = job
            state.order.append(ticket)
            return nil
        }
        if let refusal { job.abandon(refusal) } else { shared.turns.signal() }
    }

    private func drop(_ ticket: Int) {
        let job = shared.state.withLock { $0.waiting.removeValue(forKey: ticket) }
        job?.abandon(CancellationError())
    }

    private static func work(_ shared: Shared) {
        while true {
            shared.turns.wait()
            // A dropped job leaves its signal behind, so there may be no job.
            let (job, isStopped) = shared.state.withLock { state in (state.takeFirst(), state.isStopped) }
            if let job { job.perform() } else if isStopped { return }
        }
    }

    private static let busy = GatewayError(.busy, "Too many people are signing in at this moment; try again shortly.")
    private static let closed = GatewayError(.closed, "The gateway is shutting down; try again shortly.")
}
