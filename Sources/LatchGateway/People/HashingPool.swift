import Dispatch
import Primitives
import Synchronization

/// A few threads of low priority with a bounded queue in front, beside the loops.
///
/// Work that finds the queue full is refused at once, so a flood of sign-ins costs memory for the queue and no more.
/// Work whose caller was cancelled before its turn is dropped from the queue.
final class HashingPool: Sendable {
    private struct Job {
        let perform: @Sendable () -> Void
        let abandon: @Sendable (any Error) -> Void
    }

    private struct State {
        var nextTicket = 0
        /// Tickets in the order they came; one that was dropped is still here and not in ``waiting``.
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

    /// Tickets, first in first out: a list that is cut when half of it was taken.
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

    /// Starts `threads` threads, at least one, with room for `queue` waiting jobs.
    init(threads: Int, queue: Int) {
        self.threads = max(1, threads)
        self.queue = max(1, queue)
        for _ in 0..<self.threads {
            let shared = shared
            // Ten steps down: a core that a loop wants goes to the loop.
            try? SystemThread.detach(niceness: 10) { Self.work(shared) }
        }
    }

    deinit {
        stop()
    }

    /// How many jobs wait for a thread.
    var depth: Int { shared.state.withLock { $0.waiting.count } }

    /// Runs `work` on one of the threads.
    ///
    /// - Throws: ``GatewayError/Code/busy`` when the queue is full, ``GatewayError/Code/closed`` after ``stop()``,
    ///   `CancellationError` when the task is cancelled before the work started. Work that started is finished.
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
                // A cancellation between the check above and this line found nothing to drop.
                if Task.isCancelled { drop(ticket) }
            }
        } onCancel: {
            drop(ticket)
        }
    }

    /// Refuses what waits and ends the threads after the work in hand.
    func stop() {
        let waiting = shared.state.withLock { state in
            defer { state.waiting = [:] }
            guard !state.isStopped else { return [Job]() }
            state.isStopped = true
            return Array(state.waiting.values)
        }
        for job in waiting { job.abandon(Self.closed) }
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
            let (job, isStopped) = shared.state.withLock { state in (state.takeFirst(), state.isStopped) }
            if let job { job.perform() } else if isStopped { return }
        }
    }

    private static let busy = GatewayError(.busy, "Too many people are signing in at this moment; try again shortly.")
    private static let closed = GatewayError(.closed, "The gateway is shutting down; try again shortly.")
}
