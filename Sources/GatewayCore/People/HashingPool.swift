import Dispatch
import Primitives
import Synchronization

/// A pool of low-priority threads with a bounded queue, separate from the event loops.
///
/// Work is rejected immediately when the queue is full, so a flood of sign-ins uses no more memory than the queue.
/// Queued work is dropped when its caller is cancelled.
///
/// The places have fair shares: a quarter of the queue for one person or address, half for a /56 or /48 network. Callers that are not known have three quarters together, and of four turns three begin with a known caller. So a
/// flood from many new networks leaves places and turns to those who have signed in before.
final class HashingPool: Sendable {
    private struct Job {
        let caller: HashingCaller
        let isKnown: Bool
        let perform: @Sendable () -> Void
        let abandon: @Sendable (any Error) -> Void
    }

    private struct State {
        var nextTicket = 0
        /// The tickets of known callers and of all others in the order of their arrival. A dropped ticket stays here but is
        /// no longer in ``waiting``.
        var known = Deque()
        var others = Deque()
        var waiting: [Int: Job] = [:]
        /// The number of waiting jobs of callers that are not known.
        var otherCount = 0
        /// The number of waiting jobs of each caller.
        var counts: [HashingCaller: Int] = [:]
        var turn = 0
        var isStopped = false

        mutating func takeFirst() -> Job? {
            turn = (turn + 1) % 4
            return turn == 0 ? take(from: \.others) ?? take(from: \.known) : take(from: \.known) ?? take(from: \.others)
        }

        private mutating func take(from queue: WritableKeyPath<State, Deque>) -> Job? {
            while let ticket = self[keyPath: queue].popFirst() {
                if let job = remove(ticket) { return job }
            }
            return nil
        }

        /// Whether there is a place for a job in a queue of so many places.
        func hasRoom(for job: Job, in queue: Int) -> Bool {
            guard waiting.count < queue, job.isKnown || otherCount < max(1, queue * 3 / 4) else { return false }
            var next: HashingCaller? = job.caller
            while let caller = next {
                guard counts[caller, default: 0] < caller.share(of: queue) else { return false }
                next = caller.wider
            }
            return true
        }

        mutating func insert(_ job: Job, _ ticket: Int) {
            waiting[ticket] = job
            if job.isKnown { known.append(ticket) } else { others.append(ticket) }
            count(job, by: 1)
        }

        mutating func remove(_ ticket: Int) -> Job? {
            guard let job = waiting.removeValue(forKey: ticket) else { return nil }
            count(job, by: -1)
            return job
        }

        private mutating func count(_ job: Job, by change: Int) {
            if !job.isKnown { otherCount += change }
            var next: HashingCaller? = job.caller
            while let caller = next {
                let count = counts[caller, default: 0] + change
                counts[caller] = count > 0 ? count : nil
                next = caller.wider
            }
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
    /// - Parameters:
    ///   - caller: Whose share of the queue it uses.
    ///   - isKnown: Whether the caller has signed in before.
    ///   - work: The work.
    /// - Returns: The result of the work.
    /// - Throws: ``GatewayError/Code/busy`` when the queue or the caller's share is full; ``GatewayError/Code/closed`` after ``stop()``;
    ///   `CancellationError` when the task is cancelled before the work starts; errors of `work`. Work that has started
    ///   is always finished.
    func run<Result: Sendable>(
        for caller: HashingCaller = .server, isKnown: Bool = true, _ work: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try Task.checkCancellation()
        let ticket = shared.state.withLock { state in
            state.nextTicket += 1
            return state.nextTicket
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Result, any Error>) in
                let job = Job(
                    caller: caller, isKnown: isKnown,
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
            guard state.hasRoom(for: job, in: queue) else { return Self.busy }
            state.insert(job, ticket)
            return nil
        }
        if let refusal { job.abandon(refusal) } else { shared.turns.signal() }
    }

    private func drop(_ ticket: Int) {
        let job = shared.state.withLock { $0.remove(ticket) }
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
